//! The model device.
