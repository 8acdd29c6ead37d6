// A document in a form that takes a third of the bytes.
#pragma once

#include "../output.hpp"

namespace switchyard::command::report {

/// The document with its large parts packed: the map's costs, the bytes, the models and the turning
/// points. The page's script (unpack.js) undoes it exactly.
/// - A list of numbers of at most four digits and nulls is {"#": k}: text k of the top-level list
///   "#shared" has three characters for each number. Equal lists share a text.
/// - A list of names of which many are equal is {"#names": names, "#at": list of numbers}.
/// - A list of lists of the same length, or of objects with the same keys, is {"#columns": lists}:
///   the first elements of all, the second ones and so on, with "#keys" for objects.
/// REQUIRES: an object; no key begins with "#".
[[nodiscard]] Json packed(const Json& document);

}  // namespace switchyard::command::report
