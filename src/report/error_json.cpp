#include "report/error_json.hpp"

#include "report/json_writer.hpp"

namespace roofline {
namespace {

void write_place(JsonWriter& json, const Location& where) {
  if (where.file.empty()) return;
  json.text("file", where.file);
  if (where.line <= 0) return;
  json.count("line", where.line);
  if (where.column <= 0) return;
  json.count("column", where.column);
  json.count("length", where.length);
}

void write_error(JsonWriter& json, const Error& error) {
  json.begin_object();
  json.text("schema", "roofline.error/1");
  json.text("code", code_name(error.code));
  json.count("exit_code", describe(error.code).exit_code);
  json.text("message", error.what);
  write_place(json, error.where);
  if (!error.hint.empty()) json.text("help", error.hint);
  if (!error.note.empty()) json.text("note", error.note);
  json.end_object();
  json.end_line();
}

}  // namespace

std::string errors_as_json(std::span<const Error> errors) {
  std::string text;
  JsonWriter json([&text](std::string_view piece) { text += piece; });
  for (const auto& error : errors) write_error(json, error);
  json.flush();
  return text;
}

}  // namespace roofline
