#pragma once

namespace roofline::profile::plugin {

struct Session;

/// Sees to it that the capture is whole however the process ends: exit handler, fork handler, and
/// handlers for the signals that would end the program, where it has none of its own.
void watch_process(Session& s);

}  // namespace roofline::profile::plugin
