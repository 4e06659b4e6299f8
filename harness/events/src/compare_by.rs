//! Comparisons of values by a text of theirs.

/// Compares values of the types by what this method of theirs returns.
macro_rules! compare_by {
    ($text:ident: $($type:ty),*) => {$(
        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.$text() == other.$text()
            }
        }

        impl Eq for $type {}

        impl PartialOrd for $type {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $type {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.$text().cmp(&other.$text())
            }
        }
    )*};
}

pub(crate) use compare_by;
