//! The list that `upstream` printed, for one more release.

use layoutproof_site::Mechanism;

use super::reduced_sources::NamedSource;

/// One line per difference, and a legend.
pub(crate) fn listing(known: &[Mechanism<'_>], sources: &[NamedSource]) -> String {
    let has_source = |id: &String| sources.iter().any(|source| source.reduced.known.contains(id));
    let lines = known.iter().map(|difference| {
        let state = match (gone_in(difference), difference.upstream_link()) {
            (Some(_), _) => "gone",
            (None, Some(_)) => "reported",
            (None, None) if has_source(&difference.id) => "text",
            (None, None) if is_about_devices(difference) => "device",
            (None, None) => "-",
        };
        let link = difference.upstream_link().map(|link| format!("  {link}")).unwrap_or_default();
        format!("{state:>10} {}{link}\n", difference.id)
    });
    lines.collect::<String>() + LEGEND
}

const LEGEND: &str = "
      text: `layoutproof upstream ID` writes the text of an issue, and says so if the newest build is right
  reported: in the compiler's tracker
      gone: fixed in the newest build that was tried
    device: about a driver, not a compiler
         -: no reduced source yet, so no text can be written
";

/// The build without the difference, if every entry names one.
pub(crate) fn gone_in<'a>(difference: &Mechanism<'a>) -> Option<&'a str> {
    let is_gone = difference.entries.iter().all(|entry| entry.gone.is_some());
    is_gone.then(|| difference.entries.iter().find_map(|entry| entry.gone.as_deref())).flatten()
}

/// True if every entry is limited to some devices.
pub(crate) fn is_about_devices(difference: &Mechanism<'_>) -> bool {
    difference.entries.iter().all(|entry| entry.is_about_devices())
}
