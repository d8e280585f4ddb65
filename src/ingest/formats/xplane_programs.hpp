#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/hlo/module.hpp"
#include "roofline/ingest/import_sink.hpp"

namespace roofline {

/// The programs of a profile of XLA, and which of their instructions kernels were launched for.
class XplanePrograms {
 public:
  /// Notes a program, an HloProto, by the name that the profile gives it: "jit_step(15)". Its bytes
  /// must stay; they are read when a kernel needs them.
  void add(std::string_view name, std::string_view proto) { programs_.try_emplace(name, proto); }

  /// What a kernel tells of itself.
  struct Origin {
    std::string_view module, instruction;  ///< "hlo_module", "hlo_op"
    std::optional<std::uint64_t> program;  ///< "program_id"
    std::string_view tf_op, name;          ///< the framework's operator
  };
  /// The operation of an instruction, 0 for none. Without its program the names alone are told.
  std::uint64_t operation(ImportSink& sink, const Origin& origin);

  /// Programs that are none, or are past a million instructions of all of them.
  std::uint64_t unreadable() const { return unreadable_; }

 private:
  struct Program {
    explicit Program(std::string_view bytes) : proto(bytes) {}
    std::string_view proto;
    bool read = false;
    std::optional<hlo::Module> module;
  };
  std::vector<Program*> find(const Origin& origin);
  const hlo::Module* module_of(Program& program);
  Operation described(const Origin& origin);

  std::map<std::string_view, Program, std::less<>> programs_;
  std::unordered_map<std::string, std::uint64_t> operations_;
  std::size_t instructions_left_ = hlo::kMostInstructions;
  std::uint64_t unreadable_ = 0;
};

}  // namespace roofline
