// Parameter totals against counts that others made: the transformers library, published
// checkpoints, and the real configs of the corpus.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "roofline/base/input.hpp"
#include "roofline/kernel/transformer.hpp"

namespace roofline {
namespace {

using Json = nlohmann::json;

std::string errors_text(const Errors& errors) { return format_errors(errors, false); }

Checked<ModelConfig> read_config(const std::string& text, const std::string& file,
                                 const std::string* quantization = nullptr) {
  auto document = read_yaml(text, file);
  if (!document) return tl::unexpected(document.error());
  if (quantization == nullptr) return read_model_config(*document);
  auto beside = read_yaml(*quantization, file + " (quantization)");
  if (!beside) return tl::unexpected(beside.error());
  return read_model_config(*document, &*beside);
}

// ---------------------------------------------------------------- our own small configs
struct Total {
  std::string name, parameters, config;
};
void PrintTo(const Total& total, std::ostream* out) { *out << total.name; }

std::vector<Total> totals() {
  std::vector<Total> rows;
  std::ifstream file(ROOFLINE_TEST_DATA "/model_totals.jsonl");
  for (std::string line; std::getline(file, line);) {
    const auto row = Json::parse(line);
    rows.push_back(
        {row["name"], std::to_string(row["parameters"].get<long long>()), row["config"].dump()});
  }
  return rows;
}

class ModelTotals : public testing::TestWithParam<Total> {};

TEST_P(ModelTotals, AgreesToTheUnit) {
  const auto model = read_config(GetParam().config, "config.json");
  ASSERT_TRUE(model) << errors_text(model.error());
  EXPECT_EQ(count_parameters(*model).total().to_string(), GetParam().parameters);
}

INSTANTIATE_TEST_SUITE_P(Rows, ModelTotals, testing::ValuesIn(totals()),
                         [](const auto& row) { return row.param.name; });

TEST(ModelTotals, EveryFamilyOfTheTableIsReadByName) {
  const auto names = model_types();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_GE(names.size(), 80U);
}

// ---------------------------------------------------------------- the corpus
std::string shared(const std::string& path) { return std::string(ROOFLINE_SHARED) + "/" + path; }

struct CorpusFile {
  std::string name, text;
  std::optional<std::string> quantization;
  Json expected;
};

std::vector<CorpusFile> corpus() {
  std::vector<CorpusFile> files;
  const auto expected = read_input(shared("corpus/expected.json"), std::size_t{64} << 20);
  if (!expected) return files;
  const auto facts = Json::parse(*expected);
  for (const auto& entry : std::filesystem::directory_iterator(shared("corpus/hf"))) {
    const auto name = entry.path().filename().string();
    if (name.find("hf_quant_config") != std::string::npos) continue;
    CorpusFile file{name,
                    *read_input(entry.path().string(), std::size_t{1} << 24),
                    {},
                    facts.value("hf/" + name, Json::object())};
    if (auto beside = read_input(entry.path().string().substr(0, entry.path().string().size() - 5) +
                                     ".hf_quant_config.json",
                                 std::size_t{1} << 24))
      file.quantization = *beside;
    files.push_back(std::move(file));
  }
  return files;
}

/// Files of the corpus that are no plain transformers, and the key that the refusal must name.
const std::map<std::string, std::string> kRefused = {
    {"nemotron-h-56b-base-8k.json", "hybrid_override_pattern"},
    {"nvidia-nemotron-3-nano-30b-a3b-bf16.json", "hybrid_override_pattern"},
    {"qwen3.5-27b.json", "layer_types"},
    {"reduced_jamba.json", "attn_layer_period"},
    {"reduced_mllama.json", "cross_attention_layers"},
    {"reduced_t5.json", "is_encoder_decoder"},
    {"reduced_whisper.json", "is_encoder_decoder"},
    {"switchxl4.json", "is_encoder_decoder"},
};

TEST(ModelCorpus, TotalsAgreeAndWhatIsNotCountedSaysWhy) {
  const auto files = corpus();
  if (files.empty())
    GTEST_SKIP() << "no corpus under " << ROOFLINE_SHARED << ": the real configs were not read";
  int agreed = 0;
  for (const auto& file : files) {
    SCOPED_TRACE(file.name);
    const auto model =
        read_config(file.text, file.name, file.quantization ? &*file.quantization : nullptr);
    if (const auto refused = kRefused.find(file.name); refused != kRefused.end()) {
      ASSERT_FALSE(model);
      const auto text = errors_text(model.error());
      EXPECT_NE(text.find(refused->second), std::string::npos) << text;
      EXPECT_GT(model.error().front().where.line, 1);
      continue;
    }
    ASSERT_TRUE(model) << errors_text(model.error());
    const auto counted = count_parameters(*model);
    if (file.expected.contains("params_computed")) {
      EXPECT_EQ(counted.total().to_string(),
                std::to_string(file.expected["params_computed"].get<long long>()));
      ++agreed;
    }
    if (file.expected.contains("hidden")) {
      EXPECT_EQ(model->hidden.to_string(), std::to_string(file.expected["hidden"].get<int>()));
    }
    if (file.expected.contains("layers")) {
      EXPECT_EQ(model->order.size(), file.expected["layers"].get<std::size_t>());
    }
  }
  EXPECT_EQ(agreed, 27);
}

struct Known {
  const char *file, *total, *active, *extra;  ///< nullptr: not published
};
// Sources: the transformers library 5.23 built from the same files (language part); the published
// totals of Llama-3.3-Nemotron-Super-49B (49867145216), MPT-7B (6649286656), MiMo-7B (7833409536
// with its predicted layer), DeepSeek-V3 (truth/values/models.json: main 671026419200, active
// 37552297472, MTP 11610068224).
constexpr Known kKnown[] = {
    {"deepseek-v3.json", "671026419200", "37552297472", "11610068224"},
    {"deepseek-v3.2.json", "671877944064", nullptr, nullptr},
    {"falcon-40b.json", "41303293952", nullptr, "0"},
    {"gemma-4-26b-a4b.json", "25233141760", nullptr, "0"},
    {"glm-5.json", "743911218432", nullptr, nullptr},
    {"llama-3_3-nemotron-super-49b-v1.json", "49867145216", "49867145216", "0"},
    {"llama-4-scout-17b-16e-instruct.json", "107769861120", nullptr, "0"},
    {"mimo-7b-base.json", "7622619136", nullptr, "210790400"},
    {"minimax-m2.5.json", "228689764864", nullptr, "0"},
    {"mixtral-8x7b-v0.1.json", "46702792704", "12879925248", "0"},
    {"mpt-7b.json", "6649286656", nullptr, "0"},
    {"qwen-vl-chat-int4-gptq.json", "7721324544", nullptr, "0"},
    {"qwen3-vl-8b-instruct.json", "8190735360", nullptr, "0"},
    {"reduced_bloom.json", "564168704", nullptr, "0"},
    {"reduced_gptbigcode.json", "227059968", nullptr, "0"},
    {"reduced_phi3.json", "310256640", nullptr, "0"},
};

TEST(ModelCorpus, FilesWithoutAnExpectedTotalAgreeWithPublishedOnes) {
  const auto files = corpus();
  if (files.empty())
    GTEST_SKIP() << "no corpus under " << ROOFLINE_SHARED << ": the real configs were not read";
  for (const auto& known : kKnown) {
    SCOPED_TRACE(known.file);
    const auto file = std::find_if(files.begin(), files.end(),
                                   [&](const auto& f) { return f.name == known.file; });
    ASSERT_NE(file, files.end());
    const auto model = read_config(file->text, file->name);
    ASSERT_TRUE(model) << errors_text(model.error());
    const auto counted = count_parameters(*model);
    EXPECT_EQ(counted.total().to_string(), known.total);
    EXPECT_EQ(known.active != nullptr ? counted.active().to_string() : "",
              known.active != nullptr ? known.active : "");
    EXPECT_EQ(known.extra != nullptr ? counted.extra.to_string() : "",
              known.extra != nullptr ? known.extra : "");
  }
}

TEST(ModelCorpus, PartsThatAreNotCountedAreNamed) {
  const auto files = corpus();
  if (files.empty())
    GTEST_SKIP() << "no corpus under " << ROOFLINE_SHARED << ": the real configs were not read";
  const std::map<std::string, std::string> parts = {
      {"gemma-4-26b-a4b.json", "vision_config"},
      {"kimi-k2.5.json", "vision_config"},
      {"qwen3-vl-8b-instruct.json", "vision_config"},
      {"qwen-vl-chat-int4-gptq.json", "visual"},
      {"bert.json", "the task head of BertLMHeadModel"}};
  for (const auto& file : files) {
    const auto part = parts.find(file.name);
    if (part == parts.end()) continue;
    SCOPED_TRACE(file.name);
    const auto model = read_config(file.text, file.name);
    ASSERT_TRUE(model) << errors_text(model.error());
    EXPECT_EQ(model->not_counted, std::vector<std::string>{part->second});
  }
}

}  // namespace
}  // namespace roofline
