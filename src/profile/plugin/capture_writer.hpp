#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/plugin/kernel_codes.hpp"
#include "profile/plugin/losses.hpp"
#include "profile/plugin/output_file.hpp"
#include "roofline/kernel/capture.hpp"

namespace roofline::profile::plugin {

/// Ids of texts, and which of them are in the file already. When they take more than `kTextBytes`
/// it forgets them all; they then come again under other ids.
class TextIds {
 public:
  struct Found {
    std::uint64_t id = 0;
    bool is_new = false;
  };
  Found id_of(std::string_view text);
  /// The same for a string whose address says most of the time which one it is, like a kernel's
  /// name. The characters are still compared: an address may come to hold another name.
  Found id_of_name(const char* name);

 private:
  static constexpr std::size_t kTextBytes = 4u << 20;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  struct Address {
    const char* name = nullptr;
    const std::string* text = nullptr;
    std::uint64_t id = 0;
  };
  void forget();

  std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> ids_;
  std::array<Address, 1024> addresses_{};
  std::size_t bytes_ = 0;
  std::uint64_t last_id_ = 0;
};

/// Ids of shapes: a fixed table, four places for each hash. A shape that lost its place comes again
/// under another id.
class ShapeIds {
 public:
  /// True: `shape` is new, and its id has been chosen.
  bool choose(capture::Shape& shape);

 private:
  static constexpr std::size_t kWays = 4, kSets = 1024;
  struct Set {
    std::array<capture::Shape, kWays> shapes{};
    std::size_t next = 0;  ///< whose place the next one takes
  };
  std::vector<Set> sets_;
  std::uint64_t last_id_ = 0;
};

/// Records of roofline.capture/1 into one file, from any thread. Never calls CUPTI or the driver,
/// so its lock may be taken inside of their callbacks.
class CaptureWriter {
 public:
  /// `codes`: what is known of a kernel's machine code is written behind its name.
  CaptureWriter(OutputFile& file, const KernelCodes& codes) : file_(file), codes_(codes) {}

  /// Writes the header line (which must end in '\n'). Returns 0 or errno.
  int start(std::string_view header);

  /// Holds the lock: records of one batch stand together in the file.
  class Batch {
   public:
    explicit Batch(CaptureWriter& writer) : writer_(writer), lock_(writer.mutex_) {}
    ~Batch();
    template <class Record>
    void put(const Record& record) {
      if (writer_.taking_)
        capture::append(writer_.pending_, writer_.last_, record);
      else
        writer_.unwritten_ += is_observation(Record::kTag);
    }
    std::uint64_t text(std::string_view text);
    std::uint64_t name(const char* name);
    /// The id of a shape, whose `id` need not be set.
    std::uint64_t shape(capture::Shape shape);

   private:
    CaptureWriter& writer_;
    std::lock_guard<std::mutex> lock_;
  };

  /// Hands what was put, and what was lost, to the operating system: from then on it outlives the
  /// process.
  void flush(Losses& losses);
  /// Writes what is left, losses and the end. Nothing is taken afterwards.
  void finish(std::string_view reason, Losses& losses);
  /// In a forked child: the file is the parent's. Takes no lock, for it may never come free.
  void abandon() { file_.abandon(); }

 private:
  static constexpr std::size_t kChunkBytes = 256u << 10;
  /// Texts, shapes and codes only describe what others observe.
  static constexpr bool is_observation(capture::Tag tag) {
    return tag != capture::Tag::text && tag != capture::Tag::shape && tag != capture::Tag::code;
  }
  void write_pending();
  void write_losses(Losses& losses);
  void write_last_words(std::string_view reason);

  OutputFile& file_;
  const KernelCodes& codes_;
  std::mutex mutex_;
  std::string pending_;
  capture::Last last_;
  TextIds texts_;
  ShapeIds shapes_;
  bool taking_ = false;
  std::uint64_t unwritten_ = 0;
};

}  // namespace roofline::profile::plugin
