! Switchyard from Fortran by iso_c_binding: arrays that count from 1, both precisions, and errors.
module switchyard
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: sy_ok = 0, sy_invalid_argument = 1, sy_dimension_mismatch = 2
  integer(c_int), parameter :: sy_copy = 0, sy_borrow = 1

  type, bind(c) :: sy_options
    type(c_ptr) :: devices = c_null_ptr, profile = c_null_ptr
    integer(c_int64_t) :: host_budget = 0, device_budget = 0
    integer(c_int32_t) :: threads = 0, reproducible = 0
  end type

  type, bind(c) :: sy_csr
    integer(c_int64_t) :: rows, cols, nnz
    type(c_ptr) :: offsets, columns
    integer(c_int32_t) :: offset_bits = 32, column_bits = 32, base = 1
  end type

  type, bind(c) :: sy_request
    integer(c_int64_t) :: columns = 1
    integer(c_int32_t) :: transposed = 0
  end type

  interface
    function sy_runtime_create(options, runtime) bind(c) result(status)
      import
      type(sy_options), intent(in) :: options
      type(c_ptr), intent(inout) :: runtime
      integer(c_int) :: status
    end function
    subroutine sy_runtime_free(runtime) bind(c)
      import
      type(c_ptr), value :: runtime
    end subroutine
    function sy_matrix_csr_f64(runtime, pattern, values, memory, matrix) bind(c) result(status)
      import
      type(c_ptr), value :: runtime
      type(sy_csr), intent(in) :: pattern
      real(c_double), intent(in) :: values(*)
      integer(c_int), value :: memory
      type(c_ptr), intent(inout) :: matrix
      integer(c_int) :: status
    end function
    function sy_matrix_dense_f32(runtime, rows, cols, values, memory, matrix) bind(c) result(status)
      import
      type(c_ptr), value :: runtime
      integer(c_int64_t), value :: rows, cols
      real(c_float), intent(in) :: values(*)
      integer(c_int), value :: memory
      type(c_ptr), intent(inout) :: matrix
      integer(c_int) :: status
    end function
    subroutine sy_matrix_free(matrix) bind(c)
      import
      type(c_ptr), value :: matrix
    end subroutine
    function sy_multiply_f64(matrix, request, alpha, x, x_size, beta, y, y_size) bind(c) result(status)
      import
      type(c_ptr), value :: matrix
      type(sy_request), intent(in) :: request
      real(c_double), value :: alpha, beta
      integer(c_int64_t), value :: x_size, y_size
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(inout) :: y(*)
      integer(c_int) :: status
    end function
    function sy_multiply_f32(matrix, request, alpha, x, x_size, beta, y, y_size) bind(c) result(status)
      import
      type(c_ptr), value :: matrix
      type(sy_request), intent(in) :: request
      real(c_float), value :: alpha, beta
      integer(c_int64_t), value :: x_size, y_size
      real(c_float), intent(in) :: x(*)
      real(c_float), intent(inout) :: y(*)
      integer(c_int) :: status
    end function
    function sy_expect_calls(matrix, request, calls) bind(c) result(status)
      import
      type(c_ptr), value :: matrix
      type(sy_request), intent(in) :: request
      integer(c_int64_t), value :: calls
      integer(c_int) :: status
    end function
    function sy_pin(matrix, state) bind(c) result(status)
      import
      type(c_ptr), value :: matrix
      character(kind=c_char), intent(in) :: state(*)
      integer(c_int) :: status
    end function
    function sy_last_error() bind(c) result(text)
      import
      type(c_ptr) :: text
    end function
  end interface
end module

program fortran
  use switchyard
  implicit none

  character(kind=c_char), target :: none(5) = ['n', 'o', 'n', 'e', c_null_char]
  type(sy_options) :: options
  type(c_ptr) :: runtime = c_null_ptr

  options%devices = c_loc(none)
  options%reproducible = 1
  call expect(sy_runtime_create(options, runtime) == sy_ok, 'a runtime is made')
  call compressed_rows()
  call row_major()
  call sy_runtime_free(runtime)

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print *, 'this does not hold: ', what
    error stop 1
  end subroutine

  ! 1 0 2
  ! 0 3 0
  subroutine compressed_rows()
    integer(c_int32_t), target :: offsets(3) = [1, 3, 4], columns(3) = [1, 3, 2]
    real(c_double) :: values(3) = [1, 2, 3], x(3) = [1, 10, 100], y(2) = [5, 5], z(3)
    type(sy_csr) :: pattern
    type(sy_request) :: product, transpose = sy_request(1, 1)
    type(c_ptr) :: matrix = c_null_ptr

    pattern = sy_csr(2, 3, 3, c_loc(offsets), c_loc(columns))
    call expect(sy_matrix_csr_f64(runtime, pattern, values, sy_borrow, matrix) == sy_ok, 'made')
    call expect(sy_expect_calls(matrix, product, 10_c_int64_t) == sy_ok, 'a hint is taken')
    call expect(sy_pin(matrix, 'csr@host' // c_null_char) == sy_ok, 'a pin is taken')
    call expect(sy_multiply_f64(matrix, product, 2d0, x, 3_c_int64_t, 1d0, y, 2_c_int64_t) == sy_ok, &
                'a product is made')
    call expect(all(abs(y - [407, 65]) < 1d-12), 'y = 2 A x + y')
    call expect(sy_multiply_f64(matrix, transpose, 1d0, y, 2_c_int64_t, 0d0, z, 3_c_int64_t) == sy_ok, &
                'a transposed product is made')
    call expect(all(abs(z - [407, 195, 814]) < 1d-12), 'z = A^T y')
    call expect(sy_multiply_f64(matrix, product, 1d0, x, 2_c_int64_t, 0d0, y, 2_c_int64_t) == &
                sy_dimension_mismatch, 'a short x is refused')
    call expect(first_character(sy_last_error()) /= c_null_char, 'the error has a text')
    call expect(sy_pin(matrix, 'csr@moon' // c_null_char) == sy_invalid_argument, 'no such state')
    call sy_matrix_free(matrix)
  end subroutine

  ! A Fortran array of shape (cols, rows) is row-major to C, and so is one of (columns, elements).
  subroutine row_major()
    real(c_float) :: a(3, 2) = reshape([1., 0., 2., 0., 3., 0.], [3, 2])
    real(c_float) :: x(2, 3) = reshape([1., -1., 10., -10., 100., -100.], [2, 3]), y(2, 2)
    type(c_ptr) :: matrix = c_null_ptr

    call expect(sy_matrix_dense_f32(runtime, 2_c_int64_t, 3_c_int64_t, a, sy_copy, matrix) == sy_ok, &
                'a dense matrix is made')
    call expect(sy_multiply_f32(matrix, sy_request(2, 0), 1., x, 6_c_int64_t, 0., y, 4_c_int64_t) == &
                sy_ok, 'two columns are multiplied')
    call expect(all(abs(y(1, :) - [201., 30.]) < 1e-5), 'the first column')
    call expect(all(abs(y(2, :) + [201., 30.]) < 1e-5), 'the second column')
    call sy_matrix_free(matrix)
  end subroutine

  function first_character(text) result(first)
    type(c_ptr), intent(in) :: text
    character(kind=c_char), pointer :: characters(:)
    character(kind=c_char) :: first
    call c_f_pointer(text, characters, [1])
    first = characters(1)
  end function
end program
