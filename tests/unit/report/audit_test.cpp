#include "roofline/report/audit.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace roofline {
namespace {

using Json = nlohmann::json;

struct Audited {
  std::vector<Json> rows;
  Json summary;
  AuditSummary counts;
};

Audited audited(std::string text, const AuditOptions& options = {}) {
  std::string out;
  const auto writer = find_audit_format("jsonl")->make([&out](std::string_view piece) { out += piece; }, {});
  CsvReader table(ByteStream::of(std::move(text), "t.csv"));
  auto summary = audit(table, options, *writer);
  EXPECT_TRUE(summary.has_value()) << (summary ? "" : format_errors(summary.error(), false));
  Audited result;
  if (!summary) return result;
  result.counts = std::move(*summary);
  std::size_t from = 0;
  while (from < out.size()) {
    const auto to = out.find('\n', from);
    result.rows.push_back(Json::parse(out.substr(from, to - from)));
    from = to + 1;
  }
  result.summary = result.rows.back().at("summary");
  result.rows.pop_back();
  return result;
}

Errors errors_of(std::string text, const AuditOptions& options = {}) {
  const auto writer = find_audit_format("json")->make([](std::string_view) {}, {});
  CsvReader table(ByteStream::of(std::move(text), "t.csv"));
  auto summary = audit(table, options, *writer);
  EXPECT_FALSE(summary.has_value());
  return summary ? Errors{} : summary.error();
}

const std::string kHeader = "gpu,op,m,n,k,dtype,time_us\n";

TEST(Audit, ARowCarriesTheKeysOfTheFormat) {
  const auto result = audited(kHeader + "h100,gemm,4096,4096,4096,bf16,200\n");
  ASSERT_EQ(result.rows.size(), 1u);
  const auto& row = result.rows[0];
  EXPECT_EQ(row.at("row"), 1);
  EXPECT_EQ(row.at("gpu"), "h100-sxm5-80gb");
  EXPECT_EQ(row.at("op"), "gemm");
  EXPECT_EQ(row.at("flops"), 137438953472);    // 2 * 4096^3
  EXPECT_EQ(row.at("bytes"), 100663296);       // 3 * 4096^2 * 2
  EXPECT_DOUBLE_EQ(row.at("time_s"), 200e-6);
  EXPECT_NEAR(row.at("time_floor_s").get<double>(), 137438953472 / 989.4e12, 1e-12);
  EXPECT_EQ(row.at("bound"), "compute");
  EXPECT_EQ(row.at("balanced"), false);
  EXPECT_EQ(row.at("confidence"), "high");
  EXPECT_EQ(row.at("status"), "near");
  EXPECT_NEAR(row.at("fraction_of_ceiling").get<double>(), 0.694557, 1e-6);
  EXPECT_TRUE(row.at("attainable_time_s").is_number());
  EXPECT_EQ(row.at("causes"), Json::array());
  for (const auto* key : {"rows", "judged", "skipped", "by_status", "by_bound", "by_cause"}) EXPECT_TRUE(result.summary.contains(key)) << key;
  EXPECT_EQ(result.summary.at("by_status").at("near"), 1);
}

struct Skipped {
  const char* name;
  std::string text;
  const char* reason;
};
class AuditSkipsTest : public testing::TestWithParam<Skipped> {};
const Skipped kSkipped[] = {
    {"unknown_gpu", kHeader + "p4,gemm,1,2,3,bf16,5\n", "unknown_gpu"},
    {"a_path_is_no_gpu", kHeader + "/etc/passwd,gemm,1,2,3,bf16,5\n", "unknown_gpu"},
    {"no_gpu", kHeader + ",gemm,1,2,3,bf16,5\n", "no_gpu"},
    {"unknown_op", kHeader + "h100,gemmm,1,2,3,bf16,5\n", "unknown_op"},
    {"no_dtype", kHeader + "h100,gemm,1,2,3,,5\n", "no_dtype"},
    {"unknown_dtype", kHeader + "h100,gemm,1,2,3,bf61,5\n", "unknown_dtype"},
    {"missing_size", kHeader + "h100,gemm,1,2,,bf16,5\n", "missing_parameter"},
    {"negative_size", kHeader + "h100,gemm,-1,2,3,bf16,5\n", "bad_parameter"},
    {"size_in_words", kHeader + "h100,gemm,many,2,3,bf16,5\n", "bad_parameter"},
    {"no_such_unit_on_the_gpu", kHeader + "a100,gemm,1,2,3,fp8,5\n", "no_rate"},
    {"no_time", kHeader + "h100,gemm,1,2,3,bf16,\n", "time_missing"},
    {"not_a_number", kHeader + "h100,gemm,1,2,3,bf16,nan\n", "time_not_a_number"},
    {"infinite", kHeader + "h100,gemm,1,2,3,bf16,inf\n", "time_not_a_number"},
    {"words", kHeader + "h100,gemm,1,2,3,bf16,fast\n", "time_not_a_number"},
    {"negative", kHeader + "h100,gemm,1,2,3,bf16,-5\n", "time_not_positive"},
    {"zero", kHeader + "h100,gemm,1,2,3,bf16,0\n", "time_not_positive"},
    {"decimal_comma_in_quotes", kHeader + "h100,gemm,1,2,3,bf16,\"12,5\"\n", "decimal_comma"},
    {"decimal_comma_between_semicolons", "gpu;op;m;n;k;dtype;time_us\nh100;gemm;1;2;3;bf16;12,5\n", "decimal_comma"},
    {"time_without_a_unit", "gpu,op,m,n,k,dtype,time\nh100,gemm,1,2,3,bf16,12.5\n", "time_without_unit"},
    {"time_with_a_wrong_unit", "gpu,op,m,n,k,dtype,time\nh100,gemm,1,2,3,bf16,12.5 GB\n", "time_not_a_number"},
    {"fewer_cells", kHeader + "h100,gemm,1\n", "missing_columns"},
    {"more_cells", kHeader + "h100,gemm,1,2,3,bf16,5,6\n", "extra_columns"},
    {"quotes_without_end", kHeader + "h100,gemm,1,2,3,\"bf16,5\n", "bad_quotes"},
    {"refused_by_the_op", "gpu,op,params,dtype,time_us\nh100,attention,heads_q=3;heads_kv=2;head_dim=64;seq_q=1;seq_k=2,bf16,5\n", "refused"},
    {"nothing_to_count", "gpu,op,flops,bytes,dtype,time_us\nh100,mystery,,,bf16,5\n", "no_work"},
    {"operand_that_is_none", "gpu,op,m,n,k,dtype,time_us\nh100,gemm,1,2,3,q=bf16,5\n", "unknown_dtype"},
};
TEST_P(AuditSkipsTest, AndSaysWhy) {
  const auto result = audited(GetParam().text);
  ASSERT_EQ(result.rows.size(), 1u);
  EXPECT_EQ(result.rows[0].value("skipped", "judged"), GetParam().reason) << result.rows[0];
  EXPECT_EQ(result.rows[0].at("row"), 1);
  ASSERT_EQ(result.summary.at("skipped").size(), 1u);
  EXPECT_EQ(result.summary.at("skipped")[0].at("reason"), GetParam().reason);
  EXPECT_EQ(result.summary.at("skipped")[0].at("count"), 1);
  EXPECT_EQ(result.summary.at("skipped")[0].at("first_line"), 2);
  EXPECT_EQ(result.summary.at("judged"), 0);
}
INSTANTIATE_TEST_SUITE_P(Rows, AuditSkipsTest, testing::ValuesIn(kSkipped), [](auto& row) { return row.param.name; });

struct Judged {
  const char* name;
  std::string text;
  double flops, bytes;
  double time_us;
};
class AuditReadsTest : public testing::TestWithParam<Judged> {};
// Counts by hand; the lines are of the tables that docs/audit.md names.
const Judged kJudged[] = {
    {"params_in_one_cell", "gpu,op,params,dtype,time_us\nh100,gemm,m=64;n=32;k=16,bf16,5\n", 2. * 64 * 32 * 16, 2. * (64 * 16 + 16 * 32 + 64 * 32), 5},
    {"operand_types", "gpu,op,m,n,k,dtype,time_us\nh100,gemm,64,32,16,a=bf16;b=fp8_e4m3;d=fp32,5\n", 65536, 2. * 64 * 16 + 16 * 32 + 4. * 64 * 32, 5},
    {"time_with_its_unit", "gpu,op,m,n,k,dtype,time\nh100,gemm,64,32,16,bf16,0.5 ms\n", 65536, 2. * (64 * 16 + 16 * 32 + 64 * 32), 500},
    {"upper_case_and_blanks", " GPU , Op ,M,N,K,DType,Time_us\n NVIDIA H100 , gemm ,64,32,16, bf16 , 5 \n", 65536, 2. * (64 * 16 + 16 * 32 + 64 * 32), 5},
    {"semicolons_and_points", "gpu;op;m;n;k;dtype;time_us\nh100;gemm;64;32;16;bf16;5.5\n", 65536, 2. * (64 * 16 + 16 * 32 + 64 * 32), 5.5},
    {"byte_order_mark_and_crlf", "\xef\xbb\xbf" "gpu,op,m,n,k,dtype,time_us\r\nh100,gemm,64,32,16,bf16,5\r\n", 65536, 2. * (64 * 16 + 16 * 32 + 64 * 32), 5},
    {"line_break_in_a_name", "name,gpu,op,m,n,k,dtype,time_us\n\"two\nlines\",h100,gemm,64,32,16,bf16,5\n", 65536, 2. * (64 * 16 + 16 * 32 + 64 * 32), 5},
    {"declared_counts", "gpu,op,dtype,flops,bytes,time_us\nh100,my_kernel,fp32,1e9,1e8,50\n", 1e9, 1e8, 50},
    {"narrow_products_write_16_bits", "gpu,op,m,n,k,dtype,time_us\nh100,gemm,64,32,16,fp8,5\n", 65536, 64 * 16 + 16 * 32 + 2. * 64 * 32, 5},
    {"scales_of_nvfp4_weights", "gpu,op,m,n,k,dtype,time_us\nb200,gemm,64,32,16,nvfp4,5\n", 65536, 0.5 * 64 * 16 + 0.5625 * 16 * 32 + 2. * 64 * 32, 5},
    {"batched_linear", "gpu,op,dtype,b,m,k,n,time_us\nt4,linear,fp32,4,8,16,32,5\n", 2. * 4 * 8 * 16 * 32, 4. * (4 * 8 * 16 + 16 * 32 + 4 * 8 * 32), 5},
    {"decode_of_a_cache",
     "gpu,phase,framework,kernel_source,dtype,kv_dtype,batch,q_len,kv_prefix,heads,kv_heads,head_dim,window,time_us\n"
     "H100 SXM5 80GB,generation,sglang,fa3,bfloat16,fp8,2,1,99,8,2,64,0,20\n",
     4. * 2 * 8 * 64 * 100, 2. * 2 * 100 * 2 * 64 + 2. * 2 * 2 * 8 * 64, 20},
    {"windowed_prefill",
     "gpu,phase,framework,kernel_source,dtype,kv_dtype,batch,q_len,kv_prefix,heads,kv_heads,head_dim,window,time_us\n"
     "H100 SXM5 80GB,context,sglang,fa3,bfloat16,bfloat16,1,8,0,4,4,64,4,20\n",
     4. * 4 * 64 * (1 + 2 + 3 + 4 * 5), 4. * 8 * 4 * 64 * 2, 20},
    {"fp8_prefill_keeps_16_bit_queries",
     "gpu,phase,framework,kernel_source,dtype,kv_dtype,batch,q_len,kv_prefix,heads,kv_heads,head_dim,window,time_us\n"
     "H100 SXM5 80GB,context,sglang,fa3,fp8,fp8,1,8,0,4,2,64,0,20\n",
     4. * 4 * 64 * 36, 2. * 8 * 2 * 64 + 2. * 2 * 8 * 4 * 64, 20},
    {"convolution", "gpu,op,dtype,params,time_us\nT4,conv2d_fwd,fp32,n=1;c=2;h=4;w=4;k=3;r=3;s=3;pad_h=1;pad_w=1;stride_h=1;stride_w=1;p=4;q=4,5\n",
     2. * 16 * 3 * 2 * 9, 4. * (2 * 16 + 3 * 2 * 9 + 3 * 16), 5},
    {"rate_instead_of_time", "gpu,working_set_kib,read_gbs\nH200 SXM,1024,4096\n", 0, 1048576, 1048576 / 4096e3},
    {"both_rates", "gpu,dtype,intensity,gbs,gflops\nA40,fp32,2,600,1200\n", 1200e9, 600e9, 1e6},
    {"remarks_in_a_gpu_name", "gpu,op,m,n,k,dtype,time_us\nA100 SXM4 80GB 330W,gemm,64,32,16,fp16,5\n", 65536, 2. * (64 * 16 + 16 * 32 + 64 * 32), 5},
    {"time_of_a_named_gpu", "op,framework,dtype,m,n,k,h100_us,h200_us\ngemm,vllm,bfloat16,64,32,16,5,4\n", 65536, 2. * (64 * 16 + 16 * 32 + 64 * 32), 5},
    {"float_sizes", "gpu,op,m,n,k,dtype,time_us\nh100,gemm,64.0,3.2e1,16,bf16,5\n", 65536, 2. * (64 * 16 + 16 * 32 + 64 * 32), 5},
};
TEST_P(AuditReadsTest, CountsAsByHand) {
  const auto result = audited(GetParam().text);
  ASSERT_EQ(result.rows.size(), 1u);
  const auto& row = result.rows[0];
  ASSERT_FALSE(row.contains("skipped")) << row;
  EXPECT_DOUBLE_EQ(row.at("flops").get<double>(), GetParam().flops);
  EXPECT_DOUBLE_EQ(row.at("bytes").get<double>(), GetParam().bytes);
  EXPECT_NEAR(row.at("time_s").get<double>() * 1e6 / GetParam().time_us, 1, 1e-12);
}
INSTANTIATE_TEST_SUITE_P(Rows, AuditReadsTest, testing::ValuesIn(kJudged), [](auto& row) { return row.param.name; });

TEST(Audit, RowsOfOneShapeAfterAnotherAreCountedApart) {
  // Parameters of the row before must not shine through.
  const auto result = audited("gpu,op,m,n,k,batch,dtype,time_us\nh100,gemm,64,32,16,4,bf16,5\nh100,gemm,64,32,16,,bf16,5\nh100,gemm,64,32,16,4,fp8,5\n"
                              "h100,gemm,128,32,16,4,fp8,5\n");
  ASSERT_EQ(result.rows.size(), 4u);
  EXPECT_EQ(result.rows[0].at("flops"), 4 * 65536);
  EXPECT_EQ(result.rows[1].at("flops"), 65536);
  EXPECT_EQ(result.rows[2].at("bytes"), 4 * (64 * 16 + 16 * 32 + 2 * 64 * 32));
  EXPECT_EQ(result.rows[3].at("bytes"), 4 * (128 * 16 + 16 * 32 + 2 * 128 * 32));
}

TEST(Audit, TheWorkingSetDecidesAboutTheL2) {
  const std::string header = "gpu,op,m,n,k,dtype,time_us,working_set_bytes\n";
  const auto result = audited(header + "l40s,gemm,8,16384,8192,bf16,300,268435456\nl40s,gemm,8,16384,8192,bf16,300,104857600\n");
  EXPECT_EQ(result.rows[0].at("causes")[0].at("code"), "l2_warm");  // 2.7 times the L2
  EXPECT_EQ(result.rows[1].at("causes")[0].at("code"), "l2_resident");
}

TEST(Audit, ShortTimesOfUnknownTimingAreNamed) {
  const auto result = audited(kHeader + "h100,gemm,64,4096,2048,bf16,6\nmi210,gemm,512,512,512,fp16,3\n");
  EXPECT_FALSE(result.rows[0].contains("notes"));
  ASSERT_TRUE(result.rows[1].contains("notes")) << result.rows[1];
  EXPECT_EQ(result.rows[1].at("notes")[0].at("code"), "timing_unknown");
  EXPECT_EQ(result.summary.at("by_note").at("timing_unknown"), 1);
}

TEST(Audit, CountsOfTheTableThatDifferAreNamed) {
  const auto result = audited("gpu,op,m,n,k,dtype,time_us,flops,bytes\nh100,gemm,64,32,16,bf16,5,32768,7168\nh100,gemm,64,32,16,bf16,5,65536,7168\n");
  EXPECT_EQ(result.rows[0].at("notes")[0].at("code"), "counts_differ");  // multiply-adds instead of FLOPs
  EXPECT_FALSE(result.rows[1].contains("notes"));
}

TEST(Audit, TheGpuAndTheTimingOfAnOptionHoldForRowsThatNameNone) {
  AuditOptions options;
  options.gpu = "h200";
  options.timing = Timing::kernel;
  const auto result = audited("op,m,n,k,dtype,time_us\ngemm,64,32,16,bf16,5\n", options);
  EXPECT_EQ(result.rows[0].at("gpu"), "h200-sxm-141gb");
  options.gpu = "no-such-gpu";
  EXPECT_EQ(errors_of("op,m,n,k,dtype,time_us\ngemm,64,32,16,bf16,5\n", options).front().code, Code::unknown_gpu);
}

TEST(Audit, WhatCannotBeATableOfTimesIsAnError) {
  EXPECT_EQ(errors_of("").front().code, Code::empty_input);
  EXPECT_EQ(errors_of("gpu,op,m,n,k\nh100,gemm,1,2,3\n").front().code, Code::missing_key);
  EXPECT_EQ(errors_of(std::string(2 << 20, 'x')).front().code, Code::limit_exceeded);
}

TEST(Audit, AHundredMegabytesInOneLineAreOneSkippedRow) {
  std::string text = kHeader + "h100,gemm,64,32,16,bf16,5\n";
  text.append(100'000'000, '7');
  text += "\nh100,gemm,64,32,16,bf16,5\n";
  const auto result = audited(std::move(text));
  ASSERT_EQ(result.rows.size(), 3u);
  EXPECT_EQ(result.rows[1].at("skipped"), "line_too_long");
  EXPECT_EQ(result.rows[2].at("row"), 3);
  EXPECT_EQ(result.summary.at("judged"), 2);
}

TEST(Audit, AReaderThatWentAwayEndsIt) {
  std::string text = kHeader;
  for (int i = 0; i < 10'000; ++i) text += "h100,gemm,64,32,16,bf16,5\n";
  const auto writer = find_audit_format("csv")->make([](std::string_view) {}, {});
  CsvReader table(ByteStream::of(std::move(text), "t.csv"));
  const auto summary = audit(table, {}, *writer, [] { return false; });
  EXPECT_LT(summary->rows, 10'000);
}

TEST(Audit, ColumnsWithoutANameAndTwiceTheSameAreNoTrouble) {
  const auto result = audited("gpu,op,,batch,batch,m,n,k,dtype,time_us, \nh100,bmm,x,2,3,64,32,16,bf16,5,y\n");
  ASSERT_EQ(result.rows.size(), 1u);
  EXPECT_EQ(result.rows[0].at("flops"), 3 * 65536);  // the last of two columns of one name
}

TEST(Audit, MemoryDoesNotGrowWithNamesThatNobodyKnows) {
  std::string text = kHeader;
  for (int i = 0; i < 20'000; ++i) text += "gpu" + std::to_string(i) + ",op" + std::to_string(i) + ",1,2,3,bf16,5\n";
  const auto result = audited(std::move(text));
  EXPECT_EQ(result.counts.skipped[static_cast<std::size_t>(SkipReason::unknown_gpu)].count, 20'000);
}

TEST(Audit, TheSummaryGroupsByGpuOpAndCause) {
  const auto result = audited(kHeader + "h100,gemm,4096,4096,4096,bf16,100\nh100,gemm,4096,4096,4096,bf16,200\na100,gemm,4096,4096,4096,bf16,500\n");
  EXPECT_EQ(result.counts.by_gpu.at("h100-sxm5-80gb").rows, 2);
  EXPECT_EQ(result.counts.by_gpu.at("h100-sxm5-80gb").flagged, 1);
  EXPECT_EQ(result.counts.by_op.at("gemm").rows, 3);
  EXPECT_EQ(result.counts.impossible(), 1);
  ASSERT_EQ(result.counts.flagged.size(), 1u);
  EXPECT_EQ(result.counts.flagged[0].shape, "m=4096;n=4096;k=4096");
  EXPECT_EQ(result.counts.slowest.size(), 2u);
}

class AuditFormatTest : public testing::TestWithParam<AuditFormat> {};
TEST_P(AuditFormatTest, WritesTheSameTwiceAndNothingUnprintable) {
  const auto run = [] {
    std::string out;
    const auto writer = GetParam().make([&out](std::string_view piece) { out += piece; }, {.width = 100, .tool_version = "0", .source = "t.csv"});
    CsvReader table(ByteStream::of("name,gpu,op,m,n,k,dtype,time_us\n=1+1\x1b[31m,h100,gemm,4096,4096,4096,bf16,100\nb,\x1b[2J,x,1,2,3,bf16,4\n", "t.csv"));
    EXPECT_TRUE(audit(table, {}, *writer).has_value());
    return out;
  };
  const auto out = run();
  EXPECT_EQ(out, run());
  EXPECT_FALSE(out.empty());
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
  EXPECT_EQ(out.find("\n=1"), std::string::npos);
}
INSTANTIATE_TEST_SUITE_P(Formats, AuditFormatTest, testing::ValuesIn(audit_formats().begin(), audit_formats().end()),
                         [](auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace roofline
