#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/errors.hpp"

int main(int argc, char** argv) {
  using namespace roofline;
  // A reader that goes away (`| head`) is seen as a failed write, not as a signal that kills
  // without a word.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    return cli::run_program(words);
  } catch (const std::bad_alloc&) {
    return cli::report_error({Code::limit_exceeded, {}, "out of memory", {}, {}}, {});
  } catch (const std::exception& error) {
    return cli::report_error({Code::internal,
                              {},
                              std::string("unexpected: ") + error.what(),
                              "please report this with the command line and the input files",
                              {}},
                             {});
  }
}
