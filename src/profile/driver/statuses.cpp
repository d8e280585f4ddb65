#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "roofline/profile/cuda_api.hpp"

namespace roofline::cuda {
namespace {

// Sorted by number. Meanings after the driver's documentation; remedies are what an administrator
// does first.
constexpr StatusEntry kStatuses[] = {
    {1, "CUDA_ERROR_INVALID_VALUE", "an argument is out of range",
     "check grid, block, shared memory and arguments"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "the GPU has not enough free memory",
     "use smaller tensors, or stop other programs on this GPU (nvidia-smi)"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "the driver did not start",
     "see the answer of cuInit: roofline doctor"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "the libcuda in use is a stub for linking",
     "take the toolkit's stubs folder out of LD_LIBRARY_PATH"},
    {36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "the driver is older than the call needs",
     "update the driver"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE",
     "the GPU is held by another process (exclusive mode) or prohibited",
     "stop the other process, or set the mode back: nvidia-smi -c DEFAULT"},
    {100, "CUDA_ERROR_NO_DEVICE", "no GPU is visible to this process",
     "look at CUDA_VISIBLE_DEVICES; in a container, start it with --gpus all"},
    {101, "CUDA_ERROR_INVALID_DEVICE",
     "CUDA_VISIBLE_DEVICES names a GPU or MIG instance that is not there",
     "nvidia-smi -L prints the names that may be used"},
    {102, "CUDA_ERROR_DEVICE_NOT_LICENSED", "the vGPU has no license",
     "an administrator licenses the virtual machine"},
    {200, "CUDA_ERROR_INVALID_IMAGE",
     "the module is neither PTX nor a cubin that the driver can read",
     "compile it again: nvcc -cubin -arch=native"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "the module holds no code for this GPU's compute capability",
     "compile it for this GPU: nvcc -cubin -arch=native"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "memory failed with an error that ECC cannot correct",
     "nvidia-smi -q -d ECC; reset or replace the GPU"},
    {218, "CUDA_ERROR_INVALID_PTX", "the PTX does not compile",
     "see the log of the driver's compiler"},
    {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
     "the driver's PTX compiler is missing (libnvidia-ptxjitcompiler)",
     "install it with the driver, or hand over a cubin"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the PTX was made by a toolkit newer than the driver",
     "update the driver, or hand over a cubin"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM",
     "a call of the operating system failed inside of the driver",
     "look at dmesg and at the rights of /dev/nvidia*"},
    {500, "CUDA_ERROR_NOT_FOUND", "no function of that name is in the module",
     "write the name as it stands in the code: extern \"C\", or its mangled form"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "the kernel touched memory that is not its own",
     "run it under compute-sanitizer; are the tensors as large as the kernel expects?"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "the block needs more registers or threads than an SM has",
     "use a smaller block, or __launch_bounds__"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the kernel ran longer than the display's watchdog allows",
     "use a smaller problem, or a GPU without a display"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION",
     "the kernel executed an instruction that this GPU lacks", "compile it for this GPU"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "the kernel made a misaligned access",
     "run it under compute-sanitizer"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "the kernel failed while it ran",
     "run it under compute-sanitizer"},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
     "the cooperative grid does not fit on the GPU at once", "use fewer blocks"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "the operation is not permitted", "see roofline doctor"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "this GPU or driver does not support the operation",
     "see roofline doctor"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY",
     "the system is not ready: on NVSwitch machines, the fabric manager does not run",
     "systemctl start nvidia-fabricmanager (of the driver's version), then try again"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "the kernel module and libcuda are of different driver versions",
     "reboot, or reload the nvidia modules; in a container, the host's libcuda must be mounted"},
    {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     "a forward-compatibility libcuda is in use, which this GPU does not support",
     "take the cuda-compat folder out of LD_LIBRARY_PATH, or update the driver"},
    {805, "CUDA_ERROR_MPS_CONNECTION_FAILED", "the MPS control daemon does not answer",
     "start nvidia-cuda-mps-control, or unset CUDA_MPS_PIPE_DIRECTORY"},
    {806, "CUDA_ERROR_MPS_RPC_FAILURE", "the MPS server failed", "restart nvidia-cuda-mps-control"},
    {807, "CUDA_ERROR_MPS_SERVER_NOT_READY", "the MPS server is not ready",
     "try again in a moment"},
    {808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "the MPS server has as many clients as it takes",
     "stop other clients"},
    {809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED",
     "the GPU has as many MPS connections as it takes", "stop other clients"},
    {999, "CUDA_ERROR_UNKNOWN",
     "the driver could not start: most often the device nodes or the nvidia-uvm module are missing",
     "nvidia-modprobe -u -c 0 as root, then look at /dev/nvidia-uvm; dmesg says more"},
};

}  // namespace

std::span<const StatusEntry> driver_statuses() { return kStatuses; }

const StatusEntry* find_status(Status status) {
  const auto* row = std::find_if(std::begin(kStatuses), std::end(kStatuses),
                                 [&](const StatusEntry& entry) { return entry.status == status; });
  return row == std::end(kStatuses) ? nullptr : row;
}

std::string describe_status(const Api& api, Status status) {
  if (const auto* row = find_status(status))
    return fmt::format("{} ({}): {}", row->name, status, row->meaning);
  const char *name = nullptr, *text = nullptr;
  if (api.error_name) api.error_name(status, &name);
  if (api.error_text) api.error_text(status, &text);
  return fmt::format("{} ({}): {}", name ? name : "a status without a name", status,
                     text ? text : "not known");
}

Error init_error(const Api& api, Status status) {
  const auto* row = find_status(status);
  return {Code::no_device,
          {},
          "no CUDA device: cuInit answers " + describe_status(api, status),
          row ? std::string(row->remedy) : "roofline doctor says more",
          {}};
}

Error call_error(const Api& api, Status status, std::string_view call) {
  const auto* row = find_status(status);
  return {Code::driver_failed,
          {},
          fmt::format("{} failed: {}", call, describe_status(api, status)),
          row ? std::string(row->remedy) : std::string(),
          {}};
}

}  // namespace roofline::cuda
