#include "report/gpu_figures.hpp"

#include <fmt/format.h>

#include <cmath>

#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

/// Collects the figures that are there; one line per figure of the contract.
class Rows {
 public:
  void group(std::string_view name) { group_ = name; }

  template <class T, class Text, class Value>
  void add(std::string_view title, std::string_view key, const MaybeFigure<T>& figure, Text text, Value value) {
    if (figure) rows_.push_back({group_, title, key, text(figure->value), value(figure->value), figure->origin});
  }
  void rate(std::string_view title, std::string_view key, const MaybeFigure<ByteRate>& figure) {
    add(title, key, figure, [](ByteRate r) { return format_quantity(r.value(), "B/s"); },
        [](ByteRate r) { return r.value(); });
  }
  void capacity(std::string_view title, std::string_view key, const MaybeFigure<Bytes>& figure) {
    add(title, key, figure, [](Bytes b) { return format_capacity(b.value()); }, [](Bytes b) { return b.value(); });
  }
  void hertz(std::string_view title, std::string_view key, const MaybeFigure<Hertz>& figure, const char* unit) {
    add(title, key, figure,
        [&](Hertz h) {
          constexpr double kMega = 1e6;  // clocks are spoken of in MHz, whatever their size
          return unit == std::string_view("Hz") ? fmt::format("{:.6g} MHz", h.value() / kMega) : format_quantity(h.value(), unit);
        },
        [](Hertz h) { return h.value(); });
  }
  void number(std::string_view title, std::string_view key, const MaybeFigure<double>& figure, const char* unit) {
    add(title, key, figure, [&](double x) { return fmt::format("{:g}{}", x, unit); }, [](double x) { return x; });
  }
  void count(std::string_view title, std::string_view key, const MaybeFigure<Count>& figure, const char* unit) {
    add(title, key, figure, [&](Count c) { return c.to_string() + unit; }, [](Count c) { return c.to_double(); });
  }
  std::vector<FigureRow> take() { return std::move(rows_); }

 private:
  std::string_view group_;
  std::vector<FigureRow> rows_;
};

void add_memory(Rows& rows, const Gpu& gpu) {
  rows.group("Memory");
  rows.rate("DRAM bandwidth", "dram_bandwidth_bytes_per_s", gpu.dram_bandwidth);
  rows.rate("DRAM attainable", "dram_bandwidth_measured_bytes_per_s", gpu.dram_bandwidth_measured);
  rows.capacity("DRAM capacity", "memory_capacity_bytes", gpu.memory_capacity);
  rows.count("DRAM bus", "memory_bus_bits", gpu.memory_bus_bits, " bit");
  rows.hertz("DRAM data rate per pin", "memory_data_rate_bits_per_s", gpu.memory_data_rate, "bit/s");
  rows.rate("L2 bandwidth", "l2_bandwidth_bytes_per_s", gpu.l2_bandwidth);
  rows.capacity("L2 capacity", "l2_bytes", gpu.l2_capacity);
  rows.rate("last-level cache bandwidth", "llc_bandwidth_bytes_per_s", gpu.llc_bandwidth);
  rows.capacity("last-level cache capacity", "llc_bytes", gpu.llc_capacity);
  rows.capacity("scratchpad", "scratchpad_bytes", gpu.scratchpad_capacity);
  rows.capacity("shared memory per SM", "shared_memory_per_sm_bytes", gpu.shared_memory_per_sm);
  rows.number("shared memory per clock, SM", "shared_bytes_per_clock_per_sm", gpu.shared_bytes_per_clock_per_sm, " B");
}

void add_units(Rows& rows, const Gpu& gpu) {
  rows.group("Units and clocks");
  rows.count("SMs (or equivalent units)", "sm_count", gpu.sm_count, "");
  rows.hertz("boost clock", "boost_clock_hz", gpu.boost_clock, "Hz");
  rows.hertz("tensor clock", "tensor_clock_hz", gpu.tensor_clock, "Hz");
  rows.number("special functions per clock, SM", "sfu_per_clock_per_sm", gpu.sfu_per_clock_per_sm, "");
  rows.number("board power", "tdp_watts", gpu.tdp_watts, " W");
}

void add_links(Rows& rows, const Gpu& gpu) {
  rows.group("Links, per direction");
  rows.rate("NVLink or Infinity Fabric", "nvlink_bytes_per_s", gpu.nvlink);
  rows.rate("chip to CPU (C2C)", "c2c_bytes_per_s", gpu.c2c);
  rows.rate("die to die", "gcd_link_bytes_per_s", gpu.gcd_link);
  rows.rate("PCIe", "pcie_bytes_per_s", gpu.pcie);
  rows.rate("links, both directions", "link_both_directions_bytes_per_s", gpu.link_both_directions);
  rows.rate("ICI, both directions", "ici_both_directions_bytes_per_s", gpu.ici_both_directions);
}

void add_launch_floor(Rows& rows, const Gpu& gpu) {
  if (!gpu.launch_floor) return;
  rows.group("Launch floor");
  const auto time = [&](std::string_view title, std::string_view key, const Figure<Seconds>& figure) {
    rows.add(title, key, MaybeFigure<Seconds>(figure), [](Seconds t) { return format_seconds(t); },
             [](Seconds t) { return t.value(); });
  };
  time("kernels on a stream", "launch_floor_stream_s", gpu.launch_floor->stream);
  time("nodes of a graph", "launch_floor_graph_s", gpu.launch_floor->graph);
}

void add_peaks(std::vector<PeakRow>& rows, std::string_view path, const Peaks& peaks) {
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    if (peaks[i]) rows.push_back({path, static_cast<RateType>(i), &*peaks[i]});
  }
}

}  // namespace

std::vector<FigureRow> figure_rows(const Gpu& gpu) {
  Rows rows;
  add_memory(rows, gpu);
  add_launch_floor(rows, gpu);
  add_units(rows, gpu);
  add_links(rows, gpu);
  return rows.take();
}

std::vector<PeakRow> peak_rows(const Gpu& gpu) {
  std::vector<PeakRow> rows;
  add_peaks(rows, "tensor", gpu.tensor);
  add_peaks(rows, "mma.sync", gpu.mma_sync);
  add_peaks(rows, "vector", gpu.vector);
  return rows;
}

std::string_view flag_mark(const Origin& origin) { return origin.doubtful ? "?" : origin.unconfirmed ? "~" : ""; }

std::string_view flag_mark(const Origin& a, const Origin& b) {
  Origin both;
  both.doubtful = a.doubtful || b.doubtful;
  both.unconfirmed = a.unconfirmed || b.unconfirmed;
  return flag_mark(both);
}

bool is_integer_rate(RateType type) { return type == RateType::int8 || type == RateType::int4; }

std::string tera_text(FlopRate rate) {
  constexpr double kTera = 1e12;
  return fmt::format("{:.5g}", rate.value() / kTera);
}

double ridge(const Gpu& gpu, const Peak& peak) { return (peak.dense / gpu.dram_bandwidth->value).value(); }

std::string ridge_text(double ridge) {
  constexpr double kWhole = 10;
  return ridge < kWhole ? fmt::format("{:.2g}", ridge) : fmt::format("{:.0f}", ridge);
}

FlagCounts count_flags(const Gpu& gpu) {
  FlagCounts counts;
  const auto add = [&](const Origin& origin) {
    counts.unconfirmed += origin.unconfirmed;
    counts.doubtful += origin.doubtful;
  };
  for (const FigureRow& row : figure_rows(gpu)) add(row.origin);
  for (const PeakRow& row : peak_rows(gpu)) add(row.peak->origin);
  return counts;
}

}  // namespace roofline
