#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

namespace roofline::profile::plugin {

/// cuptiSubscribe_v2's parameters. Declared here because headers before CUDA 13 lack them; CUPTI
/// reads the size to see which fields there are.
struct SubscriberParams {
  std::size_t size;
  const char* name;
  char* other_name;
  std::size_t other_name_size;
};

/// The CUPTI calls that tracing makes, found at run time: a null pointer is a call that this
/// library does not have. A test puts functions of its own here.
struct CuptiApi {
  CUptiResult (*get_version)(std::uint32_t*) = nullptr;
  CUptiResult (*subscribe)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*) = nullptr;
  CUptiResult (*subscribe_v2)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*,
                              SubscriberParams*) = nullptr;
  CUptiResult (*enable_domain)(std::uint32_t, CUpti_SubscriberHandle,
                               CUpti_CallbackDomain) = nullptr;
  CUptiResult (*enable_callback)(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                 CUpti_CallbackId) = nullptr;
  CUptiResult (*get_callback_name)(CUpti_CallbackDomain, std::uint32_t, const char**) = nullptr;
  CUptiResult (*get_result_string)(CUptiResult, const char**) = nullptr;
  CUptiResult (*get_timestamp)(std::uint64_t*) = nullptr;
  CUptiResult (*get_device_id)(CUcontext, std::uint32_t*) = nullptr;
  CUptiResult (*set_thread_id_type)(CUpti_ActivityThreadIdType) = nullptr;
  CUptiResult (*activity_register)(CUpti_BuffersCallbackRequestFunc,
                                   CUpti_BuffersCallbackCompleteFunc) = nullptr;
  CUptiResult (*activity_set_attribute)(CUpti_ActivityAttribute, std::size_t*, void*) = nullptr;
  CUptiResult (*activity_enable)(CUpti_ActivityKind) = nullptr;
  CUptiResult (*activity_enable_driver_api)(CUpti_CallbackId, std::uint8_t) = nullptr;
  CUptiResult (*activity_enable_runtime_api)(CUpti_CallbackId, std::uint8_t) = nullptr;
  CUptiResult (*activity_enable_hw_trace)(std::uint8_t) = nullptr;
  CUptiResult (*activity_flush_all)(std::uint32_t) = nullptr;
  CUptiResult (*activity_next_record)(std::uint8_t*, std::size_t, CUpti_Activity**) = nullptr;
  CUptiResult (*activity_dropped)(CUcontext, std::uint32_t, std::size_t*) = nullptr;
};

/// Fills `api` from a library opened with dlopen. Returns the name of the first call that is
/// missing without which nothing works, or null.
const char* load_cupti(void* library, CuptiApi& api) noexcept;

}  // namespace roofline::profile::plugin
