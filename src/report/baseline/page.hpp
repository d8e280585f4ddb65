#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/json_writer.hpp"
#include "report/page/page.hpp"
#include "roofline/analysis/baseline.hpp"

/// What `roofline baseline` prints. `today` is a date, "2026-11-30": ages are counted from it.
namespace roofline {

void write_baseline_page(Page& page, const Baseline& baseline, std::string_view id,
                         std::string_view today);
void write_baseline_json(JsonWriter& json, const Baseline& baseline,
                         std::string_view id);  ///< members into the open object

void write_recordings_page(Page& page, std::span<const Recording> recordings);
void write_recordings_json(JsonWriter& json, std::span<const Recording> recordings);

void write_changes_page(Page& page, std::span<const BaselineChange> changes);
void write_changes_json(JsonWriter& json, std::span<const BaselineChange> changes);

/// "today", "3 days", "5 weeks": from one date to another; empty where one of them is none.
std::string age_text(std::string_view date, std::string_view today);
/// "+6.0 %", "-0.3 %", "+247 %".
std::string change_text(double change);

}  // namespace roofline
