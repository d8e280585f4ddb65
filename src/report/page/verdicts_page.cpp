#include <utility>

#include "report/page/page.hpp"

namespace roofline {
namespace {

class VerdictsPage final : public Page {
 public:
  VerdictsPage(std::unique_ptr<Page> page, bool silent) : page_(std::move(page)), silent_(silent) {}

  void title(std::string_view) override {}
  void heading(std::string_view, std::string_view) override {}
  void facts(std::span<const PageFact>) override {}
  void sentence(std::string_view) override {}
  void begin_table(std::vector<Column>) override {}
  void row(std::vector<std::string>) override {}
  void rule() override {}
  void end_table() override {}
  void gap() override {}
  void remark(std::string_view label, std::string_view text, Tone tone,
              std::size_t strong) override {
    // Without a label it goes on with the remark before.
    if (!label.empty()) passing_ = !silent_ && (label == "verdict" || label == "flip");
    if (passing_) page_->remark(label, text, tone, strong);
  }

 private:
  std::unique_ptr<Page> page_;
  bool silent_, passing_ = false;
};

}  // namespace

std::unique_ptr<Page> verdicts_page(std::unique_ptr<Page> page, bool silent) {
  return std::make_unique<VerdictsPage>(std::move(page), silent);
}

}  // namespace roofline
