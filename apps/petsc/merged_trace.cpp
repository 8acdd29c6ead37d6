// Merging the traces of the ranks.
#include "merged_trace.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/output_file.hpp>
#include <vector>

#include "failure.hpp"

namespace switchyard::petsc {
namespace {

using Json = nlohmann::ordered_json;

/// The document that the library writes.
std::string document_of(const Trace& trace, const std::string& file) {
  trace.write(file);
  std::ifstream stream(file);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::filesystem::remove(file);
  return text;
}

/// Adds the events of a rank to `all`, as those of a process of its own.
void add_rank(Json& all, const std::string& text, int rank) {
  const Json document = Json::parse(text);
  for (Json event : document.at("traceEvents")) {
    event["pid"] = rank + 1;
    if (event.at("name") == "process_name") {
      event["args"]["name"] = "rank " + std::to_string(rank);
    }
    all["traceEvents"].push_back(std::move(event));
  }
  all["displayTimeUnit"] = document.at("displayTimeUnit");
  all["otherData"]["rank " + std::to_string(rank)] = document.at("otherData");
}

void write(const std::string& texts, const std::vector<int>& sizes, const std::string& file) {
  Json all;
  std::size_t begin = 0;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    const auto size = static_cast<std::size_t>(sizes[rank]);
    add_rank(all, texts.substr(begin, size), static_cast<int>(rank));
    begin += size;
  }
  OutputFile output(file);
  output.write(all.dump(-1, ' ', false, Json::error_handler_t::replace));
  output.commit();
}

}  // namespace

PetscErrorCode write_merged_trace(const Trace& trace, const std::string& file) {
  PetscMPIInt rank = 0;
  PetscMPIInt ranks = 1;
  std::string mine;
  std::string all;
  std::vector<int> sizes;
  std::vector<int> places;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(guarded(__func__, [&] {
    mine = document_of(trace, file + ".rank" + std::to_string(rank));
    sizes.resize(static_cast<std::size_t>(ranks));
    places.resize(static_cast<std::size_t>(ranks));
  }));
  const int size = static_cast<int>(mine.size());
  PetscCallMPI(MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, PETSC_COMM_WORLD));
  PetscCall(guarded(__func__, [&] {
    std::exclusive_scan(sizes.begin(), sizes.end(), places.begin(), 0);
    all.resize(static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), Index{0})));
  }));
  PetscCallMPI(MPI_Gatherv(mine.data(), size, MPI_CHAR, all.data(), sizes.data(), places.data(),
                           MPI_CHAR, 0, PETSC_COMM_WORLD));
  if (rank == 0) PetscCall(guarded(__func__, [&] { write(all, sizes, file); }));
  PetscFunctionReturn(0);
}

}  // namespace switchyard::petsc
