#include "ingest/formats/execution_parts.hpp"

#include <algorithm>

namespace roofline {

void number_parts(std::vector<StreamLaunch>& stream, ImportSink& sink) {
  std::erase_if(stream, [](const StreamLaunch& kernel) { return kernel.operation == 0; });
  std::stable_sort(stream.begin(), stream.end(),
                   [](const StreamLaunch& a, const StreamLaunch& b) { return a.start < b.start; });
  for (std::size_t first = 0; first < stream.size();) {
    auto end = first;
    while (end < stream.size() && stream[end].operation == stream[first].operation) ++end;
    // The shortest row of kernels that the whole is made of. Its length is found as a text's
    // smallest period is, by Knuth, Morris and Pratt.
    const auto count = end - first;
    std::vector<std::size_t> border(count, 0);
    for (std::size_t i = 1; i < count; ++i) {
      auto length = border[i - 1];
      while (length > 0 && stream[first + i].shape != stream[first + length].shape)
        length = border[length - 1];
      border[i] = length + (stream[first + i].shape == stream[first + length].shape ? 1 : 0);
    }
    auto period = count - border.back();
    if (count % period != 0) period = count;
    for (std::size_t i = 0; i < count; ++i)
      sink.assign(stream[first + i].launch, stream[first + i].operation, i % period);
    first = end;
  }
}

}  // namespace roofline
