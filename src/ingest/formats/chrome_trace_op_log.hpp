#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

namespace roofline {

/// Executions of operators in any order, given back by thread and time. A few megabytes of them are
/// kept; the rest lies in a temporary file without a name, or in memory where none can be made.
class TraceOpLog {
 public:
  struct Row {
    std::uint64_t start = 0, end = 0;
    std::uint32_t thread = 0, content = 0, external = 0;
  };

  void add(const Row& row);
  bool empty() const { return rows_.empty() && blocks_.empty(); }
  /// All rows by thread, then start; of those that start together the longest first, and of those
  /// of one length the first by its id, so that an operator comes before those that it calls.
  /// False: the temporary file could not be read back.
  bool visit(const std::function<void(const Row&)>& visitor);

  static constexpr std::size_t kBlockRows = std::size_t{1} << 16;
  static constexpr std::size_t kBlocksInMemory = 4;

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct Block {
    std::vector<Row> rows;  // empty: they lie in the file
    std::size_t at = 0, size = 0;
  };
  void seal();

  std::vector<Row> rows_;
  std::vector<Block> blocks_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::size_t in_file_ = 0;
  bool no_file_ = false;
};

}  // namespace roofline
