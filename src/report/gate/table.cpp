#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/gate/formats.hpp"
#include "report/gate/untrusted.hpp"
#include "report/log_lines.hpp"
#include "report/table.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t kMostEntries =
    200;  // entries with trouble that are printed; the summary counts all
constexpr std::size_t kMostUngated = 20;
constexpr std::size_t kNameWidth = 200, kTextWidth = 1000;
constexpr std::size_t kPerRow = 3;  // limits that hold, side by side

struct Mark {
  Outcome outcome;
  std::string_view text, colour;
};
// In the order of Outcome.
constexpr Mark kMarks[] = {{Outcome::pass, "ok", "32"},        {Outcome::fresh, "new", "36"},
                           {Outcome::skip, "skip", "2"},       {Outcome::quarantined, "quar", "33"},
                           {Outcome::inconclusive, "?", "33"}, {Outcome::fail, "FAIL", "31"},
                           {Outcome::error, "ERR", "31"}};
constexpr std::size_t kMarkWidth = 4;

/// All rows of one id, in order.
struct Block {
  std::string id;
  std::vector<const AssertionResult*> rows;
  Outcome worst = Outcome::pass;
  double lost = 0;
};

class TableWriter {
 public:
  TableWriter(const GateResult& result, const GateWriteOptions& options, const TextSink& sink)
      : result_(result), options_(options), sink_(sink) {}

  void write() {
    collect();
    if (options_.verbosity >= 0) {
      line(heading());
      measure();
      for (const auto& block : blocks_)
        if (block.worst <= Outcome::fresh) write_block(block);
      for (const auto& block : blocks_)
        if (block.worst > Outcome::fresh) write_trouble(block);
      if (hidden_ > 0)
        line(fmt::format("  and {} more entries: all of them with --format json", hidden_));
      write_ungated();
      for (const auto& note : result_.notes) line("note: " + fitted(note, kTextWidth));
    }
    line(fmt::format("{}  {}", coloured(gate_headline(result_), colour_of(result_.status)),
                     gate_summary(result_)));
    if (options_.verbosity >= 0) write_next();
  }

 private:
  void line(std::string_view text) { sink_(log_lines(text) + "\n"); }

  std::string coloured(std::string_view text, std::string_view colour) const {
    return options_.colour ? fmt::format("\033[{}m{}\033[0m", colour, text) : std::string(text);
  }
  static std::string_view colour_of(Outcome outcome) {
    return kMarks[static_cast<std::size_t>(outcome)].colour;
  }

  void collect() {
    std::map<std::string_view, std::size_t> places;
    for (const auto& row : result_.results) {
      const auto [at, is_new] = places.emplace(row.id, blocks_.size());
      if (is_new) blocks_.push_back({.id = row.id});
      auto& block = blocks_[at->second];
      block.rows.push_back(&row);
      block.worst = std::max(block.worst, row.outcome);
      block.lost = std::max(block.lost, row.lost ? row.lost->value() : 0);
    }
    // The gate as a whole first; the worst last, where the eye rests, and of those alike the one
    // that loses most time first.
    std::stable_sort(blocks_.begin(), blocks_.end(), [](const Block& a, const Block& b) {
      const bool whole_a = a.id.empty(), whole_b = b.id.empty();
      if (whole_a != whole_b) return whole_a;
      const bool calm_a = a.worst <= Outcome::fresh, calm_b = b.worst <= Outcome::fresh;
      if (calm_a != calm_b) return calm_a;
      if (calm_a) return false;
      if (a.worst != b.worst) return a.worst > b.worst;
      return a.lost > b.lost;
    });
  }

  std::string heading() const {
    std::string text = shown_file();
    if (!result_.gpu_id.empty()) text += ", " + fitted(result_.gpu_id, kNameWidth);
    if (result_.runs > 0)
      text += fmt::format(", {} run{}", result_.runs, result_.runs == 1 ? "" : "s");
    if (!result_.baseline) return text;
    text += fmt::format(", baseline of {} session{}", result_.baseline->sessions,
                        result_.baseline->sessions == 1 ? "" : "s");
    if (const auto age = result_.baseline->age_days)
      text += *age == 0 ? " (newest of today)"
                        : fmt::format(" (newest {} day{} old)", *age, *age == 1 ? "" : "s");
    return text;
  }

  std::string shown_file() const { return fitted_middle(result_.file, kNameWidth); }

  /// Width of the column of ids: that of the longest, within reason.
  void measure() {
    constexpr std::size_t kLeast = 12, kMost = 36;
    id_width_ = kLeast;
    for (const auto& block : blocks_)
      id_width_ = std::max(id_width_, std::min(kMost, display_width(printable(block.id))));
  }
  std::size_t indent() const { return 2 + kMarkWidth + 2 + id_width_ + 2; }

  std::string start_of(Outcome outcome, std::string_view id) const {
    const auto& mark = kMarks[static_cast<std::size_t>(outcome)];
    const std::string pad(kMarkWidth - mark.text.size(), ' ');
    return fmt::format("  {}{}  {}  ", coloured(mark.text, mark.colour), pad,
                       padded(fitted_middle(id, id_width_), id_width_));
  }

  /// What holds: several limits on a line.
  void write_block(const Block& block) {
    std::vector<std::string> cells;
    bool fresh = false;
    for (const auto* row : block.rows) {
      fresh = fresh || row->outcome == Outcome::fresh;
      cells.push_back(
          fitted(row->outcome == Outcome::fresh ? row->text : with_text(*row), kTextWidth));
    }
    std::string text = start_of(block.worst, block.id);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) text += i % kPerRow == 0 ? "\n" + std::string(indent(), ' ') : "   ";
      text += cells[i];
    }
    line(text);
  }

  static std::string with_text(const AssertionResult& row) {
    return row.text.empty() ? assertion_phrase(row)
                            : fmt::format("{}: {}", assertion_phrase(row), row.text);
  }

  void write_trouble(const Block& block) {
    if (++shown_ > kMostEntries) {
      ++hidden_;
      return;
    }
    bool first = true;
    std::string_view told;
    std::string places;
    std::optional<Outcome> last;
    for (const auto* row : block.rows) {
      if (row->outcome == Outcome::pass && options_.verbosity < 1) continue;
      // The same refusal of several limits is said once.
      const bool repeated =
          row->outcome == Outcome::error && !row->text.empty() && row->text == told;
      told = row->text;
      if (!repeated) {
        if (last != row->outcome) write_places(places);
        write_row(*row, first ? block.id.empty() ? "the gate" : block.id : std::string(),
                  last != row->outcome);
        last = row->outcome;
        first = false;
      }
      if (row->line > 0 && row->outcome >= Outcome::inconclusive)
        places += fmt::format("{}{}:{}", places.empty() ? shown_file() + ":" : ", ", row->line,
                              row->column);
    }
    write_places(places);
  }

  /// Where the limits of the rows above stand.
  void write_places(std::string& places) {
    if (!places.empty()) line("        --> " + places);
    places.clear();
  }

  void write_row(const AssertionResult& row, std::string_view id, bool marked) {
    const std::string pad(indent(), ' ');
    line((marked ? start_of(row.outcome, id) : pad) + filled(sentence(row), pad));
    for (const auto& more : row.more) line(pad + filled(more, pad));
    if (!row.hint.empty()) line(pad + filled("help: " + row.hint, pad));
  }

  static std::string sentence(const AssertionResult& row) {
    auto text = assertion_sentence(row);
    if (row.runs > 0 && row.runs < 3 && row.value && row.outcome >= Outcome::inconclusive)
      text += fmt::format(" ({} run{})", row.runs, row.runs == 1 ? "" : "s");
    return text;
  }

  std::size_t body_width() const {
    constexpr std::size_t kLeast = 40;
    return std::max(kLeast, options_.width > indent() ? options_.width - indent() : 0);
  }

  /// In lines of the body's width; those after the first begin with `pad`.
  std::string filled(std::string_view text, const std::string& pad) const {
    std::string out;
    for (const char c : wrapped(fitted(text, kTextWidth), body_width())) {
      out += c;
      if (c == '\n') out += pad;
    }
    return out;
  }

  void write_ungated() {
    if (result_.ungated_count == 0) return;
    std::string text = fmt::format("not gated: {} kernel{}", result_.ungated_count,
                                   result_.ungated_count == 1 ? "" : "s");
    if (result_.ungated_share)
      text += fmt::format(", {:.0f} % of GPU time", *result_.ungated_share * 100);
    if (options_.verbosity < 1) return line(text + " (list: -v)");
    line(text);
    for (std::size_t i = 0; i < std::min(kMostUngated, result_.ungated.size()); ++i) {
      const auto& kernel = result_.ungated[i];
      std::string share = kernel.time_share ? fmt::format("{:5.1f} %", *kernel.time_share * 100)
                                            : std::string("      -");
      line(fmt::format("  {}  {}", share,
                       fitted_middle(kernel.name, std::max<std::size_t>(20, options_.width - 12))));
    }
    if (result_.ungated_count > kMostUngated)
      line(fmt::format("  and {} more", result_.ungated_count - kMostUngated));
  }

  void write_next() {
    const bool regression =
        std::any_of(result_.results.begin(), result_.results.end(), [](const AssertionResult& row) {
          return row.outcome == Outcome::inconclusive && row.reason != Code::machine_disturbed;
        });
    if (regression)
      line(
          "next  roofline compare --ab --base-cmd OLD --cand-cmd NEW    settles what is undecided");
  }

  const GateResult& result_;
  const GateWriteOptions& options_;
  const TextSink& sink_;
  std::vector<Block> blocks_;
  std::size_t id_width_ = 0, shown_ = 0, hidden_ = 0;
};

}  // namespace

void write_gate_table(const GateResult& result, const GateWriteOptions& options,
                      const TextSink& sink) {
  TableWriter(result, options, sink).write();
}

void write_limit_changes(std::span<const LimitChange> changes, const TextSink& sink) {
  std::map<LimitChange::Kind, std::size_t> counts;
  for (const auto& change : changes) {
    ++counts[change.kind];
    std::string text = fmt::format("  {:<10}{}", change_name(change.kind),
                                   change.id.empty() ? "" : change.id + "  ");
    text += change.assertion;
    if (!change.before.empty() || !change.after.empty())
      text += fmt::format("  {} -> {}",
                          change.before.empty() ? "none" : fitted(change.before, kTextWidth),
                          change.after.empty() ? "none" : fitted(change.after, kTextWidth));
    sink(log_lines(text) + "\n");
  }
  if (changes.empty()) return sink("the limits are the same\n");
  std::vector<std::string> parts;
  for (const auto& [kind, n] : counts) parts.push_back(fmt::format("{} {}", n, change_name(kind)));
  sink(joined(parts) + "\n");
}

bool loosens(std::span<const LimitChange> changes) {
  return std::any_of(changes.begin(), changes.end(), [](const LimitChange& c) {
    return c.kind == LimitChange::Kind::loosened || c.kind == LimitChange::Kind::removed;
  });
}

}  // namespace roofline
