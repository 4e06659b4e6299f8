//! Measures Mesa's shader cache on the disk before a run and after it.
//!
//! Shaders in the cache are not compiled again, which makes a run many times as fast, so records say how warm it was.
//!
//! Source: Mesa, "Environment Variables" (`MESA_SHADER_CACHE_DISABLE`, `MESA_SHADER_CACHE_DIR`) and
//! `src/util/disk_cache_os.c` of Mesa 22.3, which says where the folder is.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use layoutproof_device::DeviceInfo;

/// How every folder with a cache begins; what follows says how it is kept.
const FOLDER: &str = "mesa_shader_cache";

/// Mesa's shader cache before a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShaderCache {
    /// Where it is; `None` if it is switched off.
    folder: Option<PathBuf>,
    /// Its size in bytes.
    before: u64,
}

impl ShaderCache {
    /// The cache that workers of this process will find.
    pub(crate) fn look() -> Self {
        Self::at(folder(|name| std::env::var_os(name)))
    }

    fn at(folder: Option<PathBuf>) -> Self {
        let before = folder.as_deref().map_or(0, size);
        Self { folder, before }
    }

    /// The state of the cache in a run on `devices` that is over: `off`, `cold` if it was empty, `warm` if the run added
    /// nothing, else `partly warm`. `None` if no device is Mesa's.
    pub(crate) fn state(&self, devices: &[DeviceInfo]) -> Option<&'static str> {
        devices.iter().any(|device| device.driver.contains("Mesa")).then(|| self.after_run())
    }

    fn after_run(&self) -> &'static str {
        match &self.folder {
            None => "off",
            Some(_) if self.before == 0 => "cold",
            Some(folder) if size(folder) == self.before => "warm",
            Some(_) => "partly warm",
        }
    }
}

/// Where the folders with caches are; `None` where the user wants none.
fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let yes = |value: OsString| ["1", "true", "yes", "y"].iter().any(|yes| value.eq_ignore_ascii_case(yes));
    // The older name is obeyed as well.
    if ["MESA_SHADER_CACHE_DISABLE", "MESA_GLSL_CACHE_DISABLE"].iter().filter_map(|name| variable(name)).any(yes) {
        return None;
    }
    let own = variable("MESA_SHADER_CACHE_DIR").or_else(|| variable("XDG_CACHE_HOME")).map(PathBuf::from);
    own.or_else(|| variable("HOME").map(|home| Path::new(&home).join(".cache")))
}

/// Bytes of all shaders in the caches below `folder`; 0 where there are none.
fn size(folder: &Path) -> u64 {
    let caches = entries(folder).filter(|entry| entry.file_name().to_string_lossy().starts_with(FOLDER));
    caches.map(|entry| size_below(&entry.path())).sum()
}

/// Bytes of the shaders in a folder and in its folders.
fn size_below(folder: &Path) -> u64 {
    let sizes = entries(folder).map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => size_below(&entry.path()),
        // As long as it will ever be from the start, and no shader.
        Ok(_) if entry.file_name() == "index" => 0,
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
