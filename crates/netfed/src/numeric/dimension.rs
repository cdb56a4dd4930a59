//! Code that is compiled for every small number of parameters: its loops are unrolled, and its
//! vectors stay in registers. All of it does the same operations in the same order: no bit depends
//! on it.

/// An expression with a constant for the number of parameters where that is small, and another one
/// where it is not; without the latter the constant is 0 there.
macro_rules! with_dimension {
    ($dim:expr, $DIM:ident => $small:expr) => {
        with_dimension!($dim, $DIM => $small, else {
            const $DIM: usize = 0;
            $small
        })
    };
    ($dim:expr, $DIM:ident => $small:expr, else $large:expr) => {
        match $dim {
            1 => {
                const $DIM: usize = 1;
                $small
            }
            2 => {
                const $DIM: usize = 2;
                $small
            }
            3 => {
                const $DIM: usize = 3;
                $small
            }
            4 => {
                const $DIM: usize = 4;
                $small
            }
            5 => {
                const $DIM: usize = 5;
                $small
            }
            6 => {
                const $DIM: usize = 6;
                $small
            }
            8 => {
                const $DIM: usize = 8;
                $small
            }
            _ => $large,
        }
    };
}

pub(crate) use with_dimension;
