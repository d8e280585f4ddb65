// SIMULATED driver: modules take any bytes, and have any function that is asked for; of PTX those
// that its text has.
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

#include "state.hpp"

namespace {

using roofline::sim::Function;
using roofline::sim::Module;

constexpr std::uint32_t kModuleLoaded = 6, kModuleUnloadStarting = 7;

bool read_file(const char* path, std::string& bytes) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  std::ostringstream all;
  all << in.rdbuf();
  bytes = all.str();
  return true;
}

/// Size of an ELF image from its own headers; 0 if it is none.
std::size_t elf_size(const void* image) {
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0) return 0;
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  return std::max<std::size_t>(header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize,
                               header.e_phoff + std::size_t{header.e_phnum} * header.e_phentsize);
}

void tell_loaded(Module& module, const void* image) {
  static const std::string& stand_in = *[] {
    auto* bytes = new std::string;
    if (const char* path = std::getenv("SIMCUDA_CUBIN")) read_file(path, *bytes);
    return bytes;
  }();
  const auto* hooks = roofline::sim::hooks;
  if (!hooks || !hooks->resource) return;
  roofline::sim::ModuleImage handed_out{module.id, image, elf_size(image)};
  if (handed_out.size == 0) handed_out = {module.id, stand_in.data(), stand_in.size()};
  hooks->resource(kModuleLoaded, roofline::sim::current_context(), &handed_out);
}

bool is_ptx(const void* image) {
  const char* text = static_cast<const char*>(image);
  return std::strncmp(text, ".version", 8) == 0 || std::strncmp(text, "//", 2) == 0;
}

/// Sizes of "(.param .u64 input, .param .u32 n)" behind the name of an entry; false: there is no
/// such entry.
bool read_parameters(const std::string& ptx, const std::string& name,
                     std::vector<std::size_t>& sizes) {
  const auto entry = ptx.find(".entry " + name + "(");
  if (entry == std::string::npos) return false;
  const auto list = ptx.substr(entry, ptx.find(')', entry) - entry);
  constexpr std::string_view kParameter = ".param .";
  for (auto at = list.find(kParameter); at != std::string::npos; at = list.find(kParameter, at + 1))
    sizes.push_back(std::strtoull(list.c_str() + at + kParameter.size() + 1, nullptr, 10) / 8);
  return true;
}

CUresult load(std::uint32_t id, const char* name, CUmodule* handle, const void* image,
              std::unique_ptr<Module> module = std::make_unique<Module>()) {
  SIM_CONTEXT(name);
  if (!image) return CUDA_ERROR_INVALID_VALUE;
  roofline::sim::Api call(id, name);
  module->id = ++roofline::sim::object_ids;
  if (is_ptx(image)) module->ptx = static_cast<const char*>(image);
  tell_loaded(*module, image);
  *handle = reinterpret_cast<CUmodule>(module.release());
  return CUDA_SUCCESS;
}

CUresult find(CUfunction* handle, Module* module, const char* name) {
  if (!module || !name || !*name) return CUDA_ERROR_INVALID_VALUE;
  std::vector<std::size_t> parameters;
  if (!module->ptx.empty() && !read_parameters(module->ptx, name, parameters))
    return CUDA_ERROR_NOT_FOUND;
  auto* function = module->function(name);
  function->parameters = parameters;
  *handle = reinterpret_cast<CUfunction>(function);
  return CUDA_SUCCESS;
}

}  // namespace

Function* Module::function(const char* name) {
  static const std::string durations = roofline::sim::text_setting("SIMCUDA_KERNEL_NS");
  const std::lock_guard lock(mutex);
  for (const auto& known : functions)
    if (known->name == name) return known.get();
  functions.push_back(std::make_unique<Function>());
  functions.back()->name = name;
  functions.back()->duration_ns = roofline::sim::listed_number(durations, name, 5000);
  return functions.back().get();
}

extern "C" {

CUresult CUDAAPI cuModuleLoadData(CUmodule* module, const void* image) {
  return load(19, "cuModuleLoadData", module, image);
}
CUresult CUDAAPI cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*,
                                    void**) {
  return load(20, "cuModuleLoadDataEx", module, image);
}
CUresult CUDAAPI cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return load(21, "cuModuleLoadFatBinary", module, image);
}
CUresult CUDAAPI cuModuleLoad(CUmodule* handle, const char* path) {
  auto module = std::make_unique<Module>();
  if (!read_file(path, module->file_bytes)) return CUDA_ERROR_FILE_NOT_FOUND;
  const void* image = module->file_bytes.c_str();
  return load(18, "cuModuleLoad", handle, image, std::move(module));
}
CUresult CUDAAPI cuModuleUnload(CUmodule handle) {
  SIM_CONTEXT("cuModuleUnload");
  auto* module = reinterpret_cast<Module*>(handle);
  const roofline::sim::ModuleImage image{module->id, nullptr, 0};
  if (const auto* hooks = roofline::sim::hooks; hooks && hooks->resource)
    hooks->resource(kModuleUnloadStarting, roofline::sim::current_context(), &image);
  return CUDA_SUCCESS;  // kept: records of its kernels still name its functions
}
CUresult CUDAAPI cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  SIM_CONTEXT("cuModuleGetFunction");
  return find(function, reinterpret_cast<Module*>(module), name);
}

CUresult CUDAAPI cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option*, void**,
                                   unsigned, CUlibraryOption*, void**, unsigned) {
  return load(678, "cuLibraryLoadData", reinterpret_cast<CUmodule*>(library), code);
}
CUresult CUDAAPI cuLibraryUnload(CUlibrary) { return CUDA_SUCCESS; }
CUresult CUDAAPI cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  SIM_ENTRY("cuLibraryGetKernel");
  return find(reinterpret_cast<CUfunction*>(kernel), reinterpret_cast<Module*>(library), name);
}
CUresult CUDAAPI cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  *module = reinterpret_cast<CUmodule>(library);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  SIM_CONTEXT("cuFuncSetAttribute");
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
  SIM_CONTEXT("cuFuncGetAttribute");
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024
           : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 32
                                                                : 0;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset,
                                    std::size_t* size) {
  SIM_CONTEXT("cuFuncGetParamInfo");
  const auto& sizes = reinterpret_cast<Function*>(function)->parameters;
  if (index >= sizes.size()) return CUDA_ERROR_INVALID_VALUE;
  *size = sizes[index];
  *offset = 0;
  for (std::size_t i = 0; i <= index; ++i) {
    *offset = (*offset + sizes[i] - 1) / sizes[i] * sizes[i];  // aligned to its own size
    if (i < index) *offset += sizes[i];
  }
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuFuncSetCacheConfig(CUfunction, CUfunc_cache) { return CUDA_SUCCESS; }
CUresult CUDAAPI cuFuncGetName(const char** name, CUfunction function) {
  *name = reinterpret_cast<Function*>(function)->name.c_str();
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int size,
                                                             std::size_t) {
  *blocks = size > 0 ? 2048 / size : 0;
  return CUDA_SUCCESS;
}

}  // extern "C"
