//! Measures Mesa's shader cache on disk before and after a run.
//!
//! Mesa does not compile a cached shader again, which makes a run many times as fast, so records
//! report how warm the cache was.
//!
//! Source: Mesa, "Environment Variables" (`MESA_SHADER_CACHE_DISABLE`, `MESA_SHADER_CACHE_DIR`) and
//! `src/util/disk_cache_os.c` of Mesa 22.3, which defines the location.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use layoutproof_device::DeviceInfo;
use layoutproof_random::stable_hash::stable_hash;

/// Prefix of the names of Mesa's cache folders. The suffix gives the storage format; without a
/// suffix, the folder has one file per shader.
const FOLDER: &str = "mesa_shader_cache";

/// A file of Mesa's that has its final size from the start.
const INDEX: &str = "index";

/// Mesa's shader cache before a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShaderCache {
    /// The folder of the caches; `None` if the cache is switched off.
    folder: Option<PathBuf>,
    before: CacheContent,
}

/// Detects additions to a cache. Files that hold one shader count by name only: querying the sizes
/// of some ten thousand files takes longer than a short run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct CacheContent {
    /// Number of files, without the index, which always exists and holds no shader.
    files: u64,
    /// Sum of the hashes of the file names.
    names: u64,
    /// Bytes of the files that hold many shaders each.
    bytes: u64,
}

impl ShaderCache {
    /// Measures the cache that this process's workers will use.
    pub(crate) fn look() -> Self {
        Self::at(folder(|name| std::env::var_os(name)))
    }

    fn at(folder: Option<PathBuf>) -> Self {
        let before = folder.as_deref().map(CacheContent::below).unwrap_or_default();
        Self { folder, before }
    }

    /// The state of the cache after a run on `devices`: `off`, `cold` if it was empty before,
    /// `warm` if the run added nothing, otherwise `partly warm`. `None` if no device uses Mesa.
    pub(crate) fn state(&self, devices: &[DeviceInfo]) -> Option<&'static str> {
        devices.iter().any(|device| device.driver.contains("Mesa")).then(|| self.after_run())
    }

    fn after_run(&self) -> &'static str {
        match &self.folder {
            None => "off",
            Some(_) if self.before == CacheContent::default() => "cold",
            Some(folder) if CacheContent::below(folder) == self.before => "warm",
            Some(_) => "partly warm",
        }
    }
}

/// The folder that holds the cache folders; `None` if the user switched the cache off.
fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let yes = |value: OsString| ["1", "true", "yes", "y"].iter().any(|yes| value.eq_ignore_ascii_case(yes));
    // Mesa still reads the older name.
    if ["MESA_SHADER_CACHE_DISABLE", "MESA_GLSL_CACHE_DISABLE"].iter().filter_map(|name| variable(name)).any(yes) {
        return None;
    }
    let own = variable("MESA_SHADER_CACHE_DIR").or_else(|| variable("XDG_CACHE_HOME")).map(PathBuf::from);
    own.or_else(|| variable("HOME").map(|home| Path::new(&home).join(".cache")))
}

impl CacheContent {
    /// Measures all caches in `folder`; zero if it has none.
    fn below(folder: &Path) -> Self {
        let mut content = Self::default();
        for entry in entries(folder) {
            match entry.file_name().to_string_lossy().strip_prefix(FOLDER) {
                Some("") => content.add_names(&entry.path()),
                Some(_) => content.bytes += bytes_below(&entry.path()),
                None => {}
            }
        }
        content
    }

    fn add_names(&mut self, folder: &Path) {
        for entry in entries(folder) {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.add_names(&entry.path());
            } else if entry.file_name() != INDEX {
                self.files += 1;
                self.names = self.names.wrapping_add(stable_hash(&entry.file_name().to_string_lossy()));
            }
        }
    }
}

/// Bytes of all files below a folder, without the index.
fn bytes_below(folder: &Path) -> u64 {
    let sizes = entries(folder).map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => bytes_below(&entry.path()),
        Ok(_) if entry.file_name() == INDEX => 0,
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

fn entries(folder: &Path) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(variables: &[(&str, &str)]) -> Option<PathBuf> {
        folder(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value)))
    }

    #[test]
    fn the_folder_is_where_mesa_looks() {
        let (home, cache, own) = (("HOME", "/h"), ("XDG_CACHE_HOME", "/c"), ("MESA_SHADER_CACHE_DIR", "/m"));
        assert_eq!(folder_with(&[home]), Some("/h/.cache".into()));
        assert_eq!(folder_with(&[home, cache]), Some("/c".into()));
        assert_eq!(folder_with(&[home, cache, own]), Some("/m".into()));
        assert_eq!(folder_with(&[home, ("MESA_SHADER_CACHE_DISABLE", "false")]), Some("/h/.cache".into()));
        for name in ["MESA_SHADER_CACHE_DISABLE", "MESA_GLSL_CACHE_DISABLE"] {
            assert_eq!(folder_with(&[home, (name, "True")]), None, "{name}");
        }
    }

    #[test]
    fn a_file_of_many_shaders_grows() {
        let place = tempfile::tempdir().unwrap();
        let part = place.path().join("mesa_shader_cache_db").join("part0");
        fs::create_dir_all(&part).unwrap();
        fs::write(part.join("mesa_cache.db"), "shader").unwrap();
        let cache = ShaderCache::at(Some(place.path().to_owned()));
        assert_eq!(cache.after_run(), "warm");
        fs::write(part.join("mesa_cache.db"), "shader, shader").unwrap();
        assert_eq!(cache.after_run(), "partly warm");
    }

    #[test]
    fn what_a_run_adds_tells_what_it_found() {
        let place = tempfile::tempdir().unwrap();
        let shaders = place.path().join("mesa_shader_cache").join("a0");
        fs::create_dir_all(&shaders).unwrap();
        let add = |name: &str| fs::write(shaders.join(name), "shader").unwrap();
        fs::write(place.path().join("mesa_shader_cache").join("index"), [0; 64]).unwrap();
        let cache = ShaderCache::at(Some(place.path().to_owned()));
        assert_eq!(cache.after_run(), "cold");
        add("0");
        assert_eq!(cache.after_run(), "cold");
        let cache = ShaderCache::at(Some(place.path().to_owned()));
        assert_eq!(cache.after_run(), "warm");
        add("1");
        assert_eq!(cache.after_run(), "partly warm");
        assert_eq!(ShaderCache::at(None).after_run(), "off");
    }
}
