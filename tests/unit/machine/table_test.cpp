// Every figure of the table against the reference file: values bit for bit, flags, sources, names.
#include <gtest/gtest.h>

#include <charconv>
#include <map>
#include <set>

#include "facts.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline {
namespace {

// The only texts that differ on purpose: the table speaks for itself and refers to no draft.
const std::map<std::string, std::string> kReworded = {
    {"Ridge 989.4e12 / 3.35e12 = 295 FLOP/byte, as in the seeds.", "Ridge 989.4e12 / 3.35e12 = 295 FLOP/byte."},
    {"Same compute as H100 SXM; 4.8 / 3.35 = 1.433: the 43 % of the seeds.",
     "Same compute as H100 SXM; 4.8 / 3.35 = 1.433: 43 % more bandwidth."},
    {"2250 / 989.4 = 2.27 and 7.7 / 3.35 = 2.30: the two 2.3x of the seeds. Ridge bf16 292.",
     "2250 / 989.4 = 2.27 and 7.7 / 3.35 = 2.30 against H100 SXM, so the bf16 ridge stays: 292."},
    {"the seeds and the product page print 989; 989.4 is the whitepaper", "the product page prints 989; 989.4 is the whitepaper"},
};
const std::map<std::string, std::string> kRenamedSources = {{"seed-roofline", "roofline-what-limits"},
                                                            {"seed-examples", "roofline-examples"}};

std::string reworded(const std::string& text) {
  const auto found = kReworded.find(text);
  return found == kReworded.end() ? text : found->second;
}

double number(const YamlNode& node) {
  double value = -1;
  const char* end = node.text.data() + node.text.size();
  EXPECT_EQ(std::from_chars(node.text.data(), end, value).ptr, end) << node.text;
  return value;
}

std::vector<std::string> texts(const YamlNode& node) {
  if (node.is_scalar()) return {node.text};
  std::vector<std::string> all;
  for (const YamlNode& item : node.items) all.push_back(item.text);
  return all;
}

std::vector<std::string> sources_of(const YamlNode& node) {
  std::vector<std::string> keys = texts(node);
  for (std::string& key : keys) {
    if (const auto found = kRenamedSources.find(key); found != kRenamedSources.end()) key = found->second;
  }
  return keys;
}

std::string text_at(const YamlNode& node, std::string_view key) {
  const YamlNode* found = node.find(key);
  return found ? found->text : std::string();
}

void expect_origin(const YamlNode& fact, const Origin& origin, const std::string& where) {
  EXPECT_EQ(origin.sources, sources_of(*fact.find("source"))) << where;
  EXPECT_EQ(origin.note, reworded(text_at(fact, "note"))) << where;
  EXPECT_EQ(origin.derived, text_at(fact, "derived") == "true") << where;
  EXPECT_EQ(origin.unconfirmed, text_at(fact, "unconfirmed") == "true") << where;
  EXPECT_EQ(origin.doubtful, text_at(fact, "doubtful") == "true") << where;
  EXPECT_EQ(origin.measured_by, text_at(fact, "measured_by")) << where;
  EXPECT_EQ(origin.pattern, text_at(fact, "pattern")) << where;
  EXPECT_EQ(origin.kind, text_at(fact, "kind")) << where;
}

/// Holds one figure against the field of the reference; counts it. Unknown there (null) is absent here.
class Comparison {
 public:
  Comparison(const YamlNode& fact, std::string id) : fact_(fact), id_(std::move(id)) {}

  template <class T, class Value>
  void figure(std::string_view field, const MaybeFigure<T>& ours, Value value) {
    seen_.insert(std::string(field));
    const YamlNode* theirs = fact_.find(field);
    const std::string where = id_ + "." + std::string(field);
    if (!theirs || theirs->is_null()) {
      EXPECT_FALSE(ours) << where;
      return;
    }
    ASSERT_TRUE(ours) << where;
    value(*theirs->find("value"), ours->value, where);
    expect_origin(*theirs, ours->origin, where);
    ++figures_;
  }
  template <class Q>
  void quantity(std::string_view field, const MaybeFigure<Q>& ours) {
    figure(field, ours, [](const YamlNode& node, Q value, const std::string& where) {
      EXPECT_EQ(number(node), value.value()) << where;  // bit for bit
    });
  }
  void plain(std::string_view field, const MaybeFigure<double>& ours) {
    figure(field, ours, [](const YamlNode& node, double value, const std::string& where) { EXPECT_EQ(number(node), value) << where; });
  }
  void count(std::string_view field, const MaybeFigure<Count>& ours) {
    figure(field, ours,
           [](const YamlNode& node, Count value, const std::string& where) { EXPECT_EQ(node.text, value.to_string()) << where; });
  }
  void text(std::string_view field, const MaybeFigure<std::string>& ours) {
    figure(field, ours,
           [](const YamlNode& node, const std::string& value, const std::string& where) { EXPECT_EQ(node.text, value) << where; });
  }
  void names(std::string_view field, const MaybeFigure<std::vector<std::string>>& ours) {
    figure(field, ours, [](const YamlNode& node, const std::vector<std::string>& value, const std::string& where) {
      EXPECT_EQ(texts(node), value) << where;
    });
  }

  void peaks(std::string_view kind, const Peaks& ours) {
    const YamlNode* table = fact_.find("peaks")->find(kind);
    std::size_t given = 0;
    for (std::size_t i = 0; table && i < table->items.size(); ++i) {
      if (table->items[i].is_null()) continue;
      const auto type = find_rate(table->keys[i].text);
      ASSERT_TRUE(type) << table->keys[i].text;
      const std::string where = id_ + "." + std::string(kind) + "." + table->keys[i].text;
      ASSERT_TRUE(ours[static_cast<std::size_t>(*type)]) << where;
      peak(table->items[i], *ours[static_cast<std::size_t>(*type)], where);
      ++given;
    }
    std::size_t have = 0;
    for (const auto& peak : ours) have += peak.has_value();
    EXPECT_EQ(have, given) << id_ << "." << kind;
  }

  void nothing_left() const {
    static const std::set<std::string> kPlain = {"id", "aliases", "vendor", "architecture", "scope", "preliminary", "notes", "peaks"};
    for (const YamlNode& key : fact_.keys) EXPECT_TRUE(seen_.contains(key.text) || kPlain.contains(key.text)) << key.text;
  }
  int figures() const { return figures_; }

 private:
  void peak(const YamlNode& fact, const Peak& ours, const std::string& where) {
    const auto either = [&](std::string_view a, std::string_view b) { return fact.find(a) ? fact.find(a) : fact.find(b); };
    EXPECT_EQ(number(*either("dense_flop_per_s", "dense_op_per_s")), ours.dense.value()) << where;
    const YamlNode* sparse = either("sparse_flop_per_s", "sparse_op_per_s");
    ASSERT_EQ(sparse != nullptr, ours.sparse.has_value()) << where;
    if (sparse) {
      EXPECT_EQ(number(*sparse), ours.sparse->value()) << where;
    }
    const YamlNode* rate = fact.find("fma_per_clk_per_sm");
    if (rate && rate->is_null()) rate = nullptr;
    ASSERT_EQ(rate != nullptr, ours.fma_per_clock_per_sm.has_value()) << where;
    if (rate) {
      EXPECT_EQ(number(*rate), *ours.fma_per_clock_per_sm) << where;
    }
    EXPECT_EQ(text_at(fact, "clock") == "tensor", ours.clock == ClockKind::tensor) << where;
    expect_origin(fact, ours.origin, where);
    const YamlNode* rates = fact.find("rate_source");
    EXPECT_EQ(rates ? sources_of(*rates) : std::vector<std::string>(), ours.rate_sources) << where;
    figures_ += 1 + (sparse != nullptr);
  }

  const YamlNode& fact_;
  std::string id_;
  std::set<std::string> seen_;
  int figures_ = 0;
};

int compare(const YamlNode& fact, const Gpu& gpu) {
  EXPECT_EQ(gpu.id, text_at(fact, "id"));
  EXPECT_EQ(gpu.vendor, text_at(fact, "vendor"));
  EXPECT_EQ(gpu.architecture, text_at(fact, "architecture"));
  EXPECT_EQ(gpu.scope, text_at(fact, "scope"));
  EXPECT_EQ(gpu.aliases, texts(*fact.find("aliases"))) << gpu.id;
  EXPECT_EQ(gpu.preliminary, text_at(fact, "preliminary") == "true") << gpu.id;
  std::vector<std::string> notes = fact.find("notes") ? texts(*fact.find("notes")) : std::vector<std::string>();
  for (std::string& note : notes) note = reworded(note);
  EXPECT_EQ(gpu.notes, notes) << gpu.id;
  Comparison c(fact, gpu.id);
  c.text("cupti_chip", gpu.cupti_chip);
  c.text("compute_capability", gpu.compute_capability);
  c.names("device_names", gpu.device_names);
  c.names("pci_device_ids", gpu.pci_device_ids);
  c.count("sm_count", gpu.sm_count);
  c.quantity("boost_clock_hz", gpu.boost_clock);
  c.quantity("tensor_clock_hz", gpu.tensor_clock);
  c.text("memory_type", gpu.memory_type);
  c.count("memory_bus_bits", gpu.memory_bus_bits);
  c.quantity("memory_data_rate_bits_per_s_per_pin", gpu.memory_data_rate);
  c.quantity("memory_capacity_bytes", gpu.memory_capacity);
  c.quantity("dram_bandwidth_bytes_per_s", gpu.dram_bandwidth);
  c.quantity("dram_bandwidth_measured_bytes_per_s", gpu.dram_bandwidth_measured);
  c.quantity("l2_bytes", gpu.l2_capacity);
  c.quantity("l2_bandwidth_bytes_per_s", gpu.l2_bandwidth);
  c.quantity("llc_bytes", gpu.llc_capacity);
  c.quantity("llc_bandwidth_bytes_per_s", gpu.llc_bandwidth);
  c.quantity("scratchpad_bytes", gpu.scratchpad_capacity);
  c.quantity("shared_memory_per_sm_bytes", gpu.shared_memory_per_sm);
  c.plain("shared_memory_bytes_per_clk_per_sm", gpu.shared_bytes_per_clock_per_sm);
  c.plain("sfu_ops_per_clk_per_sm", gpu.sfu_per_clock_per_sm);
  c.quantity("nvlink_bytes_per_s_per_direction", gpu.nvlink);
  c.quantity("c2c_bytes_per_s_per_direction", gpu.c2c);
  c.quantity("interconnect_gcd_bytes_per_s_per_direction", gpu.gcd_link);
  c.quantity("pcie_bytes_per_s_per_direction", gpu.pcie);
  c.quantity("link_bytes_per_s_both_directions", gpu.link_both_directions);
  c.quantity("ici_bytes_per_s_both_directions", gpu.ici_both_directions);
  c.plain("tdp_w", gpu.tdp_watts);
  c.peaks("vector", gpu.vector);
  c.peaks("tensor", gpu.tensor);
  c.nothing_left();
  return c.figures();
}

TEST(GpuTable, EveryFigureIsTheReferences) {
  SKIP_WITHOUT_FACTS();
  const auto gpus = all_gpus();
  ASSERT_TRUE(gpus) << format_errors(gpus.error(), false);
  const YamlNode& list = facts_gpus();
  ASSERT_EQ(gpus->size(), list.items.size());
  int figures = 0;
  for (std::size_t i = 0; i < list.items.size(); ++i) figures += compare(list.items[i], (*gpus)[i]);
  EXPECT_EQ(figures, 1958);  // what check_gpus.py counts in the entries
  EXPECT_EQ(gpus->size(), 74u);
}

TEST(GpuTable, EveryDeviationIsTheReferences) {
  SKIP_WITHOUT_FACTS();
  std::map<std::string, std::string> ours;
  const auto gpus = all_gpus();
  ASSERT_TRUE(gpus);
  for (const Gpu& gpu : *gpus) {
    for (const Deviation& row : gpu.expected_deviations) ours[gpu.id + "/" + row.figure] = row.reason;
  }
  const YamlNode& table = *facts().root().find("expected_deviations");
  EXPECT_EQ(ours.size(), table.items.size());
  for (std::size_t i = 0; i < table.items.size(); ++i) EXPECT_EQ(ours[table.keys[i].text], table.items[i].text);
}

using Rates = std::array<std::optional<double>, kRateTypes>;

void expect_rates(const YamlNode& fact, std::string_view field, const Rates& ours, const std::string& id) {
  const YamlNode* table = fact.find(field);
  std::size_t given = 0, have = 0;
  for (std::size_t i = 0; table && i < table->items.size(); ++i) {
    if (table->keys[i].text == "source" || table->keys[i].text == "note") continue;
    const auto type = find_rate(table->keys[i].text);
    ASSERT_TRUE(type) << id;
    ASSERT_TRUE(ours[static_cast<std::size_t>(*type)]) << id << " " << table->keys[i].text;
    EXPECT_EQ(number(table->items[i]), *ours[static_cast<std::size_t>(*type)]) << id << " " << table->keys[i].text;
    ++given;
  }
  for (const auto& rate : ours) have += rate.has_value();
  EXPECT_EQ(have, given) << id << " " << field;
}

TEST(GpuTable, EveryArchitectureIsTheReferences) {
  SKIP_WITHOUT_FACTS();
  const auto gpus = all_gpus();
  ASSERT_TRUE(gpus);
  std::map<std::string, Architecture> chips;
  for (const Gpu& gpu : *gpus) {
    ASSERT_TRUE(gpu.chip) << gpu.id;
    chips.emplace(gpu.architecture, *gpu.chip);
  }
  const YamlNode& table = *facts().root().find("architectures");
  ASSERT_EQ(chips.size(), table.items.size());
  for (std::size_t i = 0; i < table.items.size(); ++i) {
    const std::string& id = table.keys[i].text;
    const YamlNode& fact = table.items[i];
    const Architecture& chip = chips.at(id);
    EXPECT_EQ(chip.family, text_at(fact, "family"));
    EXPECT_EQ(chip.compute_capability, text_at(fact, "compute_capability"));
    expect_rates(fact, "vector_fma_per_clk_per_sm", chip.vector_fma, id);
    expect_rates(fact, "tensor_fma_per_clk_per_sm", chip.tensor_fma, id);
    expect_rates(fact, "tensor_mma_sync_fma_per_clk_per_sm", chip.tensor_mma_sync_fma, id);
    expect_rates(fact, "tensor_sparse_fma_per_clk_per_sm", chip.tensor_sparse_fma, id);
    EXPECT_EQ(chip.tensor_unsupported.size(), fact.find("tensor_unsupported")->items.size()) << id;
    EXPECT_EQ(chip.vector_unsupported.size(), fact.find("vector_unsupported")->items.size()) << id;
    Comparison c(fact, id);
    c.plain("sfu_ops_per_clk_per_sm", chip.sfu_per_clock_per_sm);
    c.plain("shared_memory_bytes_per_clk_per_sm", chip.shared_bytes_per_clock_per_sm);
    c.plain("l2_slice_read_bytes_per_clk", chip.l2_slice_read_bytes_per_clock);
    c.plain("l2_to_sm_bytes_per_clk_per_sm", chip.l2_to_sm_bytes_per_clock_per_sm);
  }
}

TEST(GpuTable, EverySourceIsDescribed) {
  SKIP_WITHOUT_FACTS();
  const YamlNode& table = *facts().root().find("sources");
  for (std::size_t i = 0; i < table.items.size(); ++i) {
    const auto renamed = kRenamedSources.find(table.keys[i].text);
    const std::string key = renamed == kRenamedSources.end() ? table.keys[i].text : renamed->second;
    const auto source = find_source(key);
    ASSERT_TRUE(source) << key;
    EXPECT_FALSE(source->title.empty()) << key;
    EXPECT_FALSE(source->seen.empty()) << key;
    const YamlNode* address = table.items[i].find("address");
    EXPECT_EQ(source->address, address->is_null() ? std::string() : address->text) << key;
  }
}

// Third-generation NVSwitch came with Hopper (NVIDIA H100 Tensor Core GPU Architecture).
TEST(GpuTable, SwitchesSumFromHopperOn) {
  const auto sums = [](std::string_view id) {
    const auto gpu = find_gpu(id);
    EXPECT_TRUE(gpu) << id;
    return gpu && gpu->switch_sums();
  };
  EXPECT_TRUE(sums("h100-sxm5-80gb"));
  EXPECT_TRUE(sums("b200-hgx"));
  EXPECT_FALSE(sums("a100-sxm4-80gb"));  // NVLink, and a switch that cannot
  EXPECT_FALSE(sums("mi300x"));
}

TEST(GpuTable, EveryEntrySaysWhatItsFiguresMean) {
  const auto gpus = all_gpus();
  ASSERT_TRUE(gpus);
  for (const Gpu& gpu : *gpus) {
    EXPECT_NE(gpu.name, gpu.id);
    const auto first_end = gpu.why.find('\n');
    ASSERT_NE(first_end, std::string::npos) << gpu.id;
    EXPECT_EQ(gpu.why.find('\n', first_end + 1), std::string::npos) << gpu.id << ": two lines";
    EXPECT_LE(first_end, 100u) << gpu.id;
    EXPECT_LE(gpu.why.size() - first_end - 1, 100u) << gpu.id;
  }
}

}  // namespace
}  // namespace roofline
