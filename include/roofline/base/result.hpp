#pragma once

#include <tl/expected.hpp>

#include "roofline/base/error.hpp"

namespace roofline {

/// A value or the one error that prevented it.
template <class T>
using Result = tl::expected<T, Error>;

/// A value or every error that was found on the way: the readers of files report all of them together.
template <class T>
using Checked = tl::expected<T, Errors>;

/// The error side of a Result.
inline tl::unexpected<Error> fail(Code code, Location where, std::string what, std::string hint = {}) {
  return tl::unexpected<Error>(Error{code, std::move(where), std::move(what), std::move(hint), {}});
}

}  // namespace roofline
