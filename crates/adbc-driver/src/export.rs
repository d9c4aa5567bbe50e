//! The function by which driver managers find the driver.

use crate::BowshotDriver;

adbc_ffi::export_driver!(AdbcDriverBowshotInit, BowshotDriver);
