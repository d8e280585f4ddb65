#include "profile/plugin/cupti_api.hpp"

#include <dlfcn.h>

namespace roofline::profile::plugin {
namespace {

enum class Need { required, optional };

template <class Function>
const char* load(void* library, const char* name, Need need, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function || need == Need::optional ? nullptr : name;
}

}  // namespace

const char* load_cupti(void* library, CuptiApi& api) noexcept {
  const char* const missing[] = {
      load(library, "cuptiGetVersion", Need::required, api.get_version),
      load(library, "cuptiSubscribe", Need::required, api.subscribe),
      load(library, "cuptiSubscribe_v2", Need::optional, api.subscribe_v2),
      load(library, "cuptiEnableDomain", Need::required, api.enable_domain),
      load(library, "cuptiEnableCallback", Need::required, api.enable_callback),
      load(library, "cuptiGetCallbackName", Need::optional, api.get_callback_name),
      load(library, "cuptiGetResultString", Need::optional, api.get_result_string),
      load(library, "cuptiGetTimestamp", Need::required, api.get_timestamp),
      load(library, "cuptiGetDeviceId", Need::optional, api.get_device_id),
      load(library, "cuptiSetThreadIdType", Need::optional, api.set_thread_id_type),
      load(library, "cuptiActivityRegisterCallbacks", Need::required, api.activity_register),
      load(library, "cuptiActivitySetAttribute", Need::optional, api.activity_set_attribute),
      load(library, "cuptiActivityEnable", Need::required, api.activity_enable),
      load(library, "cuptiActivityEnableDriverApi", Need::optional, api.activity_enable_driver_api),
      load(library, "cuptiActivityEnableRuntimeApi", Need::optional,
           api.activity_enable_runtime_api),
      load(library, "cuptiActivityEnableHWTrace", Need::optional, api.activity_enable_hw_trace),
      load(library, "cuptiActivityFlushAll", Need::required, api.activity_flush_all),
      load(library, "cuptiActivityGetNextRecord", Need::required, api.activity_next_record),
      load(library, "cuptiActivityGetNumDroppedRecords", Need::required, api.activity_dropped),
  };
  for (const char* name : missing)
    if (name) return name;
  return nullptr;
}

}  // namespace roofline::profile::plugin
