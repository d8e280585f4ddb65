#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::profile {

/// A library opened by name and never closed: the driver's threads outlive every use that we make
/// of it.
struct SharedLibrary {
  void* handle = nullptr;
  std::string path;        ///< resolved, where it was loaded from
  std::string fault;       ///< why nothing was opened, when `handle` is null; the loader's words
  bool only_stub = false;  ///< what was found is a library of a `stubs` folder

  explicit operator bool() const { return handle != nullptr; }
};

/// Opens the first of `names` that the loader finds, then `folders` with each name. RTLD_LOCAL: a
/// global library would lend its symbols to others of another version. What lies in a folder named
/// `stubs` is passed over.
SharedLibrary open_library(std::span<const std::string> names,
                           std::span<const std::string> folders);

void* find_symbol(const SharedLibrary& library, const char* name);

/// Fills pointers from a library and remembers the first name that it lacks.
class SymbolBinder {
 public:
  explicit SymbolBinder(const SharedLibrary& library) : library_(library) {}
  template <class F>
  void need(F*& pointer, const char* name) {
    maybe(pointer, name);
    if (!pointer && missing_.empty()) missing_ = name;
  }
  template <class F>
  void maybe(F*& pointer, const char* name) {
    pointer = reinterpret_cast<F*>(find_symbol(library_, name));
  }
  const std::string& missing() const { return missing_; }

 private:
  const SharedLibrary& library_;
  std::string missing_;
};

}  // namespace roofline::profile
