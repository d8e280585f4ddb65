#include "roofline/analysis/trace_fusion.hpp"

#include <algorithm>
#include <map>

#include "roofline/analysis/verdict.hpp"

namespace roofline {
namespace {

constexpr std::size_t kLongest = 64;  // operations of one chain: a longer one is cut
constexpr std::string_view kOps[] = {"elementwise", "activation", "copy"};

/// What of an operation decides whether it can stand in a chain, once for each.
struct Link {
  bool fits = false;
  Count written;            // of its one output
  std::vector<Count> read;  // by operand
  Bytes bytes;
  Seconds floor;
};

Bytes as_bytes(Count count) { return Bytes(count.to_double()); }

Link link_of(const Kernel& kernel, const Ceilings& ceilings) {
  Link link;
  const bool elementwise =
      kernel.op && std::find(std::begin(kOps), std::end(kOps), kernel.op->name) != std::end(kOps);
  if (!elementwise) return link;
  auto alone = kernel;
  alone.time.reset();
  const auto verdict = judge(alone, ceilings);
  // Small ones are bound by their launches, of which fusing saves as many.
  const bool moves =
      verdict && (verdict->bound == Bound::memory || verdict->bound == Bound::overhead);
  if (!moves) return link;
  std::size_t outputs = 0;
  for (const auto& operand : kernel.work.operands()) {
    if (operand.written > Count(0)) {
      ++outputs;
      link.written = operand.written;
    }
    if (operand.read > Count(0)) link.read.push_back(operand.read);
  }
  link.fits = outputs == 1;
  link.bytes = as_bytes(kernel.work.bytes());
  link.floor = verdict->floor.time;
  return link;
}

bool feeds(const Link& first, const Link& second) {
  return first.fits && second.fits &&
         std::find(second.read.begin(), second.read.end(), first.written) != second.read.end();
}

class Chains {
 public:
  Chains(std::span<const Kernel> works, const Ceilings& ceilings) : ceilings_(ceilings) {
    for (const auto& work : works) links_.push_back(link_of(work, ceilings));
  }

  void add(std::span<const TracedExecution> executions) {
    std::vector<std::size_t> open;
    Seconds time;
    const auto close = [&] {
      if (open.size() > 1) {
        auto& chain = found_[open];
        ++chain.occurrences;
        chain.time += time;
      }
      open.clear();
      time = Seconds(0);
    };
    for (std::size_t i = 0; i < executions.size(); ++i) {
      const auto& now = executions[i];
      const bool fits = now.operation && links_[*now.operation].fits;
      const bool goes_on = fits && !open.empty() && executions[i - 1].stream == now.stream &&
                           open.size() < kLongest &&
                           feeds(links_[open.back()], links_[*now.operation]);
      if (!goes_on) close();
      if (!fits) continue;
      open.push_back(*now.operation);
      time += now.time;
    }
    close();
  }

  std::vector<FusibleChain> take() {
    std::vector<FusibleChain> chains;
    for (auto& [operations, sums] : found_) {
      FusibleChain chain;
      chain.operations = operations;
      chain.occurrences = sums.occurrences;
      chain.time = sums.time;
      Bytes kept;
      for (std::size_t i = 0; i < operations.size(); ++i) {
        const auto& link = links_[operations[i]];
        chain.bytes += link.bytes;
        chain.floor += link.floor;
        if (i + 1 < operations.size()) kept += 2.0 * as_bytes(link.written);
      }
      chain.fused_bytes = chain.bytes - kept;
      chain.fused_floor = chain.fused_bytes / ByteRate(ceilings_.dram().per_second);
      chains.push_back(std::move(chain));
    }
    std::stable_sort(chains.begin(), chains.end(), [](const auto& a, const auto& b) {
      return a.most_to_win() > b.most_to_win();
    });
    return chains;
  }

 private:
  struct Sums {
    std::uint64_t occurrences = 0;
    Seconds time;
  };
  const Ceilings& ceilings_;
  std::vector<Link> links_;
  std::map<std::vector<std::size_t>, Sums> found_;
};

}  // namespace

std::vector<FusibleChain> fusible_chains(std::span<const TracedExecution> executions,
                                         std::span<const Kernel> works, const Ceilings& ceilings) {
  Chains chains(works, ceilings);
  chains.add(executions);
  return chains.take();
}

}  // namespace roofline
