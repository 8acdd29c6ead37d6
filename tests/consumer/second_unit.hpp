// What the second translation unit offers the first.
#pragma once

/// Whether a product on a caller's own memory comes out right.
bool second_unit_agrees();
