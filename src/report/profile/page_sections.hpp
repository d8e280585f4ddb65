#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "report/page/parts.hpp"
#include "report/profile/profile_report.hpp"

/// The page of a profile by sections, one file each; page.cpp puts them in order.
namespace roofline::profile_page {

constexpr std::size_t kRows = 20;       // kernels, ranges in a table; all of them with -v
constexpr std::size_t kLeastName = 24;  // columns of a kernel's name
constexpr std::size_t kVerdicts = 8;    // without a block of their own; more are left to -v

/// What every section writes from.
struct Section {
  Section(Page& page, const ProfileReport& report, const ProfilePageOptions& options)
      : page_(page), report_(report), findings_(report.findings), options_(options) {}
  Page& page_;
  const ProfileReport& report_;
  const ProfileFindings& findings_;
  const ProfilePageOptions& options_;
};

std::string whole(std::uint64_t value);                          ///< "12 345"
std::string plural(std::uint64_t count, std::string_view what);  ///< "3 launches"
std::string sizes(const std::array<std::uint64_t, 3>& s);        ///< "16x16"; "-": not told
std::string name_of(const KernelFinding& finding);

void write_heading(Page& page, const ProfileReport& report, const ProfilePageOptions& options);
void write_table(Page& page, const ProfileReport& report, const ProfilePageOptions& options);
/// The first kernels that there is something to say of, each with its verdict.
void write_blocks(Page& page, const ProfileReport& report, const ProfilePageOptions& options);
bool has_block(const KernelFinding& finding, const ProfileReport& report,
               const ProfilePageOptions& options);
/// `named`: the kernel's name stands in front.
void write_verdict(Page& page, const ProfileReport& report, const ProfilePageOptions& options,
                   const KernelFinding& finding, bool named);
/// The run as a whole, what sampling saw, ranges, ranks.
/// What of a device's work ran beside other work, as rows of the run.
void add_overlap(std::vector<PageFact>& facts, const DeviceActivity& activity);
void write_devices(Page& page, const ProfileReport& report, const ProfilePageOptions& options);
void write_run(Page& page, const ProfileReport& report, const ProfilePageOptions& options);

}  // namespace roofline::profile_page
