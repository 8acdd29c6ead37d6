// The `switchyard` command.
#include "program.hpp"

int main(int argc, char** argv) { return switchyard::command::run(argc, argv); }
