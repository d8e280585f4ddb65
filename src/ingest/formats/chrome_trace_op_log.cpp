#include "ingest/formats/chrome_trace_op_log.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

namespace roofline {
namespace {

using Row = TraceOpLog::Row;

/// In whole microseconds an operator may take as long as the one that it calls, whose id is larger.
bool before(const Row& a, const Row& b) {
  return std::tie(a.thread, a.start, b.end, a.external) <
         std::tie(b.thread, b.start, a.end, b.external);
}

/// Rows of one block in their order, a few at a time from the file.
class BlockReader {
 public:
  BlockReader(std::FILE* file, const std::vector<Row>& rows, std::size_t at, std::size_t size)
      : file_(file), rows_(&rows), place_(at), left_(size) {}

  /// nullptr at the end; `good` is false where the file failed.
  const Row* next(bool& good) {
    if (left_ == 0) return nullptr;
    --left_;
    if (!rows_->empty()) return &(*rows_)[rows_->size() - left_ - 1];
    if (at_ == piece_.size()) {
      constexpr std::size_t kPiece = 256;
      piece_.resize(std::min(kPiece, left_ + 1));
      at_ = 0;
      if (std::fseek(file_, static_cast<long>(place_ * sizeof(Row)), SEEK_SET) != 0 ||
          std::fread(piece_.data(), sizeof(Row), piece_.size(), file_) != piece_.size()) {
        good = false;
        return nullptr;
      }
      place_ += piece_.size();
    }
    return &piece_[at_++];
  }

 private:
  std::FILE* file_;
  const std::vector<Row>* rows_;
  std::size_t place_, left_, at_ = 0;
  std::vector<Row> piece_;
};

}  // namespace

void TraceOpLog::add(const Row& row) {
  rows_.push_back(row);
  if (rows_.size() == kBlockRows) seal();
}

void TraceOpLog::seal() {
  if (!std::is_sorted(rows_.begin(), rows_.end(), before))
    std::stable_sort(rows_.begin(), rows_.end(), before);
  Block block{{}, 0, rows_.size()};
  if (blocks_.size() >= kBlocksInMemory && !no_file_) {
    if (!file_) file_.reset(std::tmpfile());
    // Rows that did not all arrive are written over by the next try.
    if (file_ &&
        std::fseek(file_.get(), static_cast<long>(in_file_ * sizeof(Row)), SEEK_SET) == 0 &&
        std::fwrite(rows_.data(), sizeof(Row), rows_.size(), file_.get()) == rows_.size() &&
        std::fflush(file_.get()) == 0) {
      block.at = in_file_;
      in_file_ += rows_.size();
      blocks_.push_back(std::move(block));
      rows_.clear();
      return;
    }
    no_file_ = true;
  }
  block.rows = std::move(rows_);
  blocks_.push_back(std::move(block));
  rows_ = {};
}

bool TraceOpLog::visit(const std::function<void(const Row&)>& visitor) {
  if (!rows_.empty()) seal();
  bool good = true;
  std::vector<BlockReader> readers;
  readers.reserve(blocks_.size());
  for (const auto& block : blocks_)
    readers.emplace_back(file_.get(), block.rows, block.at, block.size);
  struct Front {
    Row row;
    std::size_t reader;
  };
  const auto later = [](const Front& a, const Front& b) {
    return before(b.row, a.row) || (!before(a.row, b.row) && a.reader > b.reader);
  };
  std::priority_queue<Front, std::vector<Front>, decltype(later)> fronts(later);
  for (std::size_t i = 0; i < readers.size(); ++i)
    if (const auto* row = readers[i].next(good)) fronts.push({*row, i});
  while (!fronts.empty() && good) {
    const auto front = fronts.top();
    fronts.pop();
    visitor(front.row);
    // Blocks hardly overlap in time: mostly the same one goes on.
    auto& reader = readers[front.reader];
    const auto* row = reader.next(good);
    while (row && (fronts.empty() || !before(fronts.top().row, *row))) {
      visitor(*row);
      row = reader.next(good);
    }
    if (row) fronts.push({*row, front.reader});
  }
  return good;
}

}  // namespace roofline
