// Writing JSON documents.
#include "json_document.hpp"

#include "json_value.hpp"

namespace switchyard::command {

Json with_schema(const Json& document) {
  Json stamped{{"schema_version", schema_version}};
  stamped.update(document);
  return stamped;
}

std::string json_text(const Json& document) {
  return with_schema(document).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json whole(double amount) { return JsonValue::whole(amount); }

}  // namespace switchyard::command
