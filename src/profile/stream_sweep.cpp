#include "profile/stream_sweep.hpp"

#include <algorithm>

namespace roofline {

std::uint32_t StreamSweep::index_of(std::uint64_t stream) {
  const auto next = static_cast<std::uint32_t>(streams_.size());
  if (streams_.size() >= kMostStreams) {
    const auto known = indices_.find(stream);
    return known == indices_.end() ? next - 1 : known->second;
  }
  const auto [at, is_new] = indices_.try_emplace(stream, next);
  if (is_new) streams_.push_back(Stream{.id = stream});
  return at->second;
}

void StreamSweep::pass(std::uint64_t until) {
  const auto time = until - now_;
  now_ = until;
  if (time == 0 || streams_running_ == 0) return;
  if (streams_running_ > 1)
    overlapped_ += time;
  else
    streams_[only_].alone += time;
  for (std::size_t what = 0; what < count_.size(); ++what) {
    if (count_[what] == 0) continue;
    times_[what] += time;
    if (count_[place(What::kernel)] == 0) exposed_[what] += time;
  }
}

void StreamSweep::advance(std::uint64_t time) {
  while (!running_.empty() && running_.top().end <= time) {
    const auto ended = running_.top();
    running_.pop();
    pass(std::max(now_, ended.end));
    --count_[place(ended.what)];
    if (--streams_[ended.stream].running > 0) continue;
    --streams_running_;
    only_ ^= ended.stream;
  }
  if (!running_.empty() || streams_running_ > 0) pass(time);
  now_ = time;
}

void StreamSweep::add(std::uint32_t index, What what, std::uint64_t start, std::uint64_t end) {
  advance(std::max(now_, start));
  auto& stream = streams_[index];
  ++(what == What::copy ? stream.copies : stream.kernels);
  const auto from = std::max(stream.until, start);
  if (end > from) {
    stream.busy += end - from;
    stream.until = end;
  }
  if (end <= start) return;
  running_.push({end, index, what});
  ++count_[place(what)];
  if (stream.running++ > 0) return;
  ++streams_running_;
  only_ ^= index;
}

}  // namespace roofline
