#include "base/file_access.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "roofline/base/text.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;

struct Reason {
  int error;
  std::string_view text;
};
constexpr Reason kReasons[] = {
    {ENOENT, "no such file or folder"},
    {EACCES, "permission denied"},
    {EPERM, "permission denied"},
    {EISDIR, "it is a folder"},
    {ENOTDIR, "a part of the path is not a folder"},
    {ENOSPC, "the disk is full"},
    {EDQUOT, "the disk quota is used up"},
    {EROFS, "the file system is read-only"},
    {ENAMETOOLONG, "the name is too long"},
    {ELOOP, "links that lead in a circle"},
    {EFBIG, "the file would be too large"},
};

/// The nearest name in the folder of a file that does not exist.
std::string nearby_file(const std::string& path) {
  constexpr std::size_t kMost = 1000;  // of a huge folder only a part is looked at
  const fs::path wanted(path);
  const auto folder = wanted.parent_path();
  std::vector<std::string> names;
  std::error_code error;
  for (auto it = fs::directory_iterator(folder.empty() ? "." : folder, error);
       !error && it != fs::directory_iterator() && names.size() < kMost; it.increment(error))
    names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  const std::vector<std::string_view> views(names.begin(), names.end());
  return did_you_mean(wanted.filename().string(), views);
}

}  // namespace

std::string system_reason(int error) {
  const auto* row = std::find_if(std::begin(kReasons), std::end(kReasons),
                                 [&](const Reason& r) { return r.error == error; });
  return row != std::end(kReasons) ? std::string(row->text)
                                   : std::generic_category().message(error);
}

std::string path_in_quotes(const std::string& path) {
  return '"' + shortened(printable(path), 200) + '"';
}

tl::unexpected<Error> cannot_read(const std::string& path, int error) {
  const std::string name = path == "-" ? "standard input" : path_in_quotes(path);
  return fail(Code::cannot_read, {path, 0, 0, 1, {}, 0},
              "cannot read " + name + ": " + system_reason(error),
              error == ENOENT ? nearby_file(path) : "");
}

}  // namespace roofline
