//! Pairs the members of a block with those of the host struct, by their names.
//!
//! Names are compared within the nearest struct: the members of a pair of structs form pairs
//! whatever the structs themselves are called. An exact name counts more than one that differs by
//! conventions, and a name that fits several members fits none. If only one side nests some members
//! in a struct, they form pairs across the levels; what is still open then forms pairs with members of its name in
//! the same bytes, at any level.

use std::collections::{BTreeMap, HashMap, HashSet};

use layoutproof_layout::without_indices;

use super::flat_struct::{FlatMember, FlatStruct};
use super::names::{NameKeys, SHORTEST_TELLING, is_filler, member_key};

/// The pairs of members, as indices into the members of both sides.
#[derive(Clone, Debug)]
pub(super) struct MemberPairs {
    host_of: Vec<Option<usize>>,
    shader_of: Vec<Option<usize>>,
}

impl MemberPairs {
    /// Pairs the members of both sides. `renames` maps paths of the shader to paths of the host,
    /// both without indices.
    pub(super) fn new(shader: &FlatStruct, host: &FlatStruct, renames: &BTreeMap<String, String>) -> Self {
        let mut pairing = Pairing {
            pairs: Self { host_of: vec![None; shader.members.len()], shader_of: vec![None; host.members.len()] },
            shader: Side::new(shader),
            host: Side::new(host),
        };
        let stated = pairing.rename(renames);
        pairing.level(&pairing.shader.children(None, &stated), &pairing.host.children(None, &[]));
        for index in stated {
            pairing.inside(index);
        }
        pairing.at_any_level();
        pairing.pairs
    }

    /// The host's member of the same name.
    pub(super) fn host_of(&self, shader: usize) -> Option<usize> {
        self.host_of.get(shader).copied().flatten()
    }

    /// The shader's member of the same name.
    pub(super) fn shader_of(&self, host: usize) -> Option<usize> {
        self.shader_of.get(host).copied().flatten()
    }
}

struct Side<'a> {
    flat: &'a FlatStruct,
    children: HashMap<Option<usize>, Vec<usize>>,
}

impl<'a> Side<'a> {
    fn new(flat: &'a FlatStruct) -> Self {
        let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        for (index, member) in flat.members.iter().enumerate() {
            children.entry(member.parent).or_default().push(index);
        }
        Self { flat, children }
    }

    fn children(&self, parent: Option<usize>, left_out: &[usize]) -> Vec<usize> {
        let children = self.children.get(&parent).map(Vec::as_slice).unwrap_or_default();
        children.iter().copied().filter(|child| !left_out.contains(child)).collect()
    }

    fn member(&self, index: usize) -> &'a FlatMember {
        &self.flat.members[index]
    }

    /// The element of the enclosing array that has the member: `[1]` for `lights[1].color`, and
    /// nothing for `light.color`.
    fn element(&self, index: usize) -> &'a str {
        let member = self.member(index);
        let start = member.parent.map_or(0, |parent| self.member(parent).path.len());
        let before_name = member.path.get(start..member.path.len() - member.name.len()).unwrap_or_default();
        before_name.trim_end_matches('.')
    }

    fn place(&self, index: usize, keys: impl Fn(&NameKeys) -> &str) -> (&'a str, String) {
        (self.element(index), keys(&NameKeys::new(&self.member(index).name)).to_owned())
    }
}

/// The rules by which two names agree, the strictest first.
const KEYS: [fn(&NameKeys) -> &str; 4] =
    [NameKeys::exact, NameKeys::plain, NameKeys::without_scope, NameKeys::without_type];

struct Pairing<'a> {
    pairs: MemberPairs,
    shader: Side<'a>,
    host: Side<'a>,
}

impl Pairing<'_> {
    /// Pairs the members that the user renamed, and returns them.
    fn rename(&mut self, renames: &BTreeMap<String, String>) -> Vec<usize> {
        let mut renamed_members = Vec::new();
        if renames.is_empty() {
            return renamed_members;
        }
        for (index, member) in self.shader.flat.members.iter().enumerate() {
            let plain = without_indices(&member.path).replace("[]", "");
            let Some(host_path) = renames.get(&plain) else { continue };
            renamed_members.push(index);
            let indices = |path: &str| {
                path.split('[')
                    .skip(1)
                    .filter_map(|rest| rest.split_once(']'))
                    .map(|(index, _)| index.to_owned())
                    .collect::<Vec<_>>()
            };
            let own = indices(&member.path);
            let with_path = |is_meant: &dyn Fn(&str) -> bool| {
                let mut hosts = self.host.flat.members.iter();
                hosts.position(|host| {
                    is_meant(&without_indices(&host.path).replace("[]", "")) && indices(&host.path) == own
                })
            };
            let exact = with_path(&|path| path == host_path);
            if let Some(host) = exact.or_else(|| with_path(&|path| path_key(path) == path_key(host_path))) {
                self.join(index, host);
            }
        }
        renamed_members
    }

    fn join(&mut self, shader: usize, host: usize) {
        if self.pairs.shader_of[host].is_none() && self.pairs.host_of[shader].is_none() {
            self.pairs.host_of[shader] = Some(host);
            self.pairs.shader_of[host] = Some(shader);
        }
    }

    fn inside(&mut self, shader: usize) {
        let Some(host) = self.pairs.host_of(shader) else { return };
        let of_shader = self.shader.children(Some(shader), &[]);
        let of_host = self.host.children(Some(host), &[]);
        if !of_shader.is_empty() && !of_host.is_empty() {
            self.level(&of_shader, &of_host);
        }
    }

    /// Pairs members of one struct of each side, then the members of those pairs.
    fn level(&mut self, shader: &[usize], host: &[usize]) {
        for (left, right) in self.common_names(shader, host) {
            self.join(left, right);
        }
        self.same_place(shader, host);
        self.across_levels(shader, host);
        for index in shader {
            self.inside(*index);
        }
    }

    /// The pairs that names alone give, without those that exist already.
    fn common_names(&self, shader: &[usize], host: &[usize]) -> Vec<(usize, usize)> {
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        let mut open: Vec<usize> =
            shader.iter().copied().filter(|index| self.pairs.host_of(*index).is_none()).collect();
        let mut taken: HashSet<usize> = HashSet::new();
        for (strictness, keys) in KEYS.into_iter().enumerate() {
            if open.is_empty() {
                break;
            }
            let (of_shader, of_host) = (by_key(&self.shader, shader, keys), by_key(&self.host, host, keys));
            open.retain(|&index| {
                let key = self.shader.place(index, keys);
                let (Some(own), Some(found)) = (of_shader.get(&key), of_host.get(&key)) else { return true };
                let offset = self.shader.member(index).offset;
                let free: Vec<usize> = found
                    .iter()
                    .copied()
                    .filter(|host| self.pairs.shader_of(*host).is_none() && !taken.contains(host))
                    .collect();
                let chosen = if strictness == 0 {
                    // A derived struct may hide a member of its base.
                    free.iter().find(|host| self.host.member(**host).offset == offset).or(free.first())
                } else {
                    let is_clear = free.len() == found.len() && own.len() == 1 && is_one_place(&self.host, found);
                    free.first()
                        .filter(|host| is_clear && !key.1.is_empty() && self.may_differ_by(strictness, index, **host))
                };
                match chosen {
                    Some(&host) => {
                        taken.insert(host);
                        pairs.push((index, host));
                        false
                    }
                    None => true,
                }
            });
        }
        pairs
    }

    /// True unless both names have a prefix of their own for the type: `uScale` is not `vScale`.
    fn may_differ_by(&self, strictness: usize, shader: usize, host: usize) -> bool {
        let has_type_prefix = |member: &FlatMember| {
            let keys = NameKeys::new(&member.name);
            keys.without_type() != keys.without_scope()
        };
        strictness < 3 || !(has_type_prefix(self.shader.member(shader)) && has_type_prefix(self.host.member(host)))
    }

    /// Pairs structs with different names that share bytes and names of members.
    fn same_place(&mut self, shader: &[usize], host: &[usize]) {
        for &left in shader {
            let own = self.shader.member(left);
            if !own.has_members || self.pairs.host_of(left).is_some() {
                continue;
            }
            let candidates = host.iter().copied().filter(|right| {
                let found = self.host.member(*right);
                found.has_members && self.pairs.shader_of(*right).is_none() && shares_bytes(own, found)
            });
            let fitting: Vec<usize> = candidates.filter(|right| self.has_common_members(left, *right)).collect();
            let exact = fitting.iter().find(|right| self.host.member(**right).offset == own.offset);
            let only = fitting.first().filter(|_| fitting.len() == 1);
            if let Some(&right) = exact.or(only) {
                self.join(left, right);
            }
        }
    }

    fn has_common_members(&self, shader: usize, host: usize) -> bool {
        let (of_shader, of_host) = (self.shader.children(Some(shader), &[]), self.host.children(Some(host), &[]));
        let common = self.common_names(&of_shader, &of_host).into_iter();
        let common = common.filter(|(left, _)| self.shader.member(*left).is_first_element).count();
        is_convincing(common, &self.shader, &of_shader) && is_convincing(common, &self.host, &of_host)
    }

    /// Pairs members of a struct that only one side has with the members around the place of that
    /// struct on the other side.
    fn across_levels(&mut self, shader: &[usize], host: &[usize]) {
        for outer in open_structs(&self.host, host, &self.pairs.shader_of) {
            let inner = self.host.children(Some(outer), &[]);
            let pairs = self.common_names(shader, &inner);
            let is_near = |(left, _): &(usize, usize)| shares_bytes(self.shader.member(*left), self.host.member(outer));
            if is_convincing(pairs.len(), &self.host, &inner) && pairs.iter().any(is_near) {
                for (left, right) in pairs {
                    self.join(left, right);
                }
            }
            for (right, left) in joined_names(&self.host, outer, &self.shader, shader) {
                self.join(left, right);
            }
        }
        for outer in open_structs(&self.shader, shader, &self.pairs.host_of) {
            let inner = self.shader.children(Some(outer), &[]);
            let pairs = self.common_names(&inner, host);
            let is_near =
                |(_, right): &(usize, usize)| shares_bytes(self.shader.member(outer), self.host.member(*right));
            if is_convincing(pairs.len(), &self.shader, &inner) && pairs.iter().any(is_near) {
                for (left, right) in pairs {
                    self.join(left, right);
                }
            }
            for (left, right) in joined_names(&self.shader, outer, &self.host, host) {
                self.join(left, right);
            }
            for index in inner {
                self.inside(index);
            }
        }
    }
}

impl Pairing<'_> {
    /// Pairs the members of a struct or element of the shader with members of the host in the same bytes. One side may
    /// have structs and arrays around them that the other does not have.
    fn at_any_level(&mut self) {
        let hosts = self.host.flat.members.iter().enumerate();
        let hosts = hosts.filter(|(index, _)| self.pairs.shader_of[*index].is_none());
        let mut hosts: Vec<(u32, usize)> = hosts.map(|(index, member)| (member.offset, index)).collect();
        if hosts.is_empty() {
            return;
        }
        hosts.sort_unstable();
        // A parent has a smaller index than its members, so that its own members come before theirs.
        let mut elements: BTreeMap<(Option<usize>, &str), Vec<usize>> = BTreeMap::new();
        for (index, member) in self.shader.flat.members.iter().enumerate() {
            elements.entry((member.parent, self.shader.element(index))).or_default().push(index);
        }
        for element in elements.into_values() {
            let open: Vec<usize> = element.into_iter().filter(|index| self.pairs.host_of(*index).is_none()).collect();
            let pairs = self.names_in_bytes(&open, &hosts);
            let is_telling = |(left, _): &&(usize, usize)| self.shader.member(*left).name.len() >= SHORTEST_TELLING;
            let is_evident = pairs.len() == open.len() || pairs.iter().filter(is_telling).count() >= 2;
            if is_evident && is_convincing(pairs.len(), &self.shader, &open) {
                for (left, right) in pairs {
                    self.join(left, right);
                    self.inside(left);
                }
            }
        }
    }

    /// The pairs that names give with the members of the host in the bytes of these members. `hosts` has the host's
    /// members by offset.
    fn names_in_bytes(&self, members: &[usize], hosts: &[(u32, usize)]) -> Vec<(usize, usize)> {
        let all = || members.iter().map(|index| self.shader.member(*index));
        let Some(start) = all().map(|member| member.offset).min() else { return Vec::new() };
        let end = all().map(|member| member.size.map_or(u32::MAX, |_| member.end())).max().unwrap_or(start);
        let first = hosts.partition_point(|(offset, _)| *offset < start);
        let inside = hosts[first..].iter().take_while(|(offset, _)| *offset < end).map(|(_, index)| *index);
        let inside: Vec<usize> = inside.filter(|index| self.pairs.shader_of(*index).is_none()).collect();

        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for (strictness, keys) in KEYS.into_iter().enumerate() {
            let by_name = |side: &Side<'_>, indices: &[usize], is_free: &dyn Fn(usize) -> bool| {
                let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
                for index in indices.iter().copied().filter(|index| is_free(*index)) {
                    by_name.entry(keys(&NameKeys::new(&side.member(index).name)).to_owned()).or_default().push(index);
                }
                by_name
            };
            let of_shader = by_name(&self.shader, members, &|index| !pairs.iter().any(|(left, _)| *left == index));
            let of_host = by_name(&self.host, &inside, &|index| !pairs.iter().any(|(_, right)| *right == index));
            for (name, own) in of_shader {
                if let ([left], Some(found)) = (own.as_slice(), of_host.get(&name))
                    && !name.is_empty()
                    && is_one_place(&self.host, found)
                    && self.may_differ_by(strictness, *left, found[0])
                {
                    pairs.push((*left, found[0]));
                }
            }
        }
        pairs
    }
}

/// The structs of a level, without arrays, that have no partner.
fn open_structs(side: &Side<'_>, level: &[usize], partners: &[Option<usize>]) -> Vec<usize> {
    let is_open = |index: &&usize| {
        let member = side.member(**index);
        member.has_members && member.arrays.is_empty() && partners[**index].is_none()
    };
    level.iter().filter(is_open).copied().collect()
}

/// Members of the struct `outer`, each with the member of the other side that has the names of both
/// levels: `sun.color` and `sunColor`.
fn joined_names(side: &Side<'_>, outer: usize, other: &Side<'_>, level: &[usize]) -> Vec<(usize, usize)> {
    let of_level = by_key(other, level, NameKeys::without_scope);
    let inner = side.children(Some(outer), &[]).into_iter();
    let joined = inner.filter_map(|index| {
        let name = format!("{}_{}", side.member(outer).name, side.member(index).name);
        let key = ("", NameKeys::new(&name).without_scope().to_owned());
        match of_level.get(&key)?.as_slice() {
            [only] => Some((index, *only)),
            _ => None,
        }
    });
    joined.collect()
}

/// A path whose names are without prefixes, underscores and case.
fn path_key(path: &str) -> String {
    path.split('.').map(member_key).collect::<Vec<_>>().join(".")
}

/// True if so many names of a struct are common that it is no accident: at least two, and half of
/// those that are not padding.
fn is_convincing(common: usize, side: &Side<'_>, members: &[usize]) -> bool {
    let own = members.iter().map(|index| side.member(*index));
    let real = own.filter(|member| member.is_first_element && !is_filler(&member.name)).count();
    common >= 2 && common * 2 >= real
}

fn shares_bytes(left: &FlatMember, right: &FlatMember) -> bool {
    left.offset < right.end() && right.offset < left.end()
}

/// True if all members begin at one byte, as the views of a union do.
fn is_one_place(side: &Side<'_>, members: &[usize]) -> bool {
    members.iter().all(|index| side.member(*index).offset == side.member(members[0]).offset)
}

fn by_key<'a>(
    side: &Side<'a>,
    members: &[usize],
    keys: fn(&NameKeys) -> &str,
) -> HashMap<(&'a str, String), Vec<usize>> {
    let mut by_key: HashMap<(&str, String), Vec<usize>> = HashMap::new();
    for &index in members {
        by_key.entry(side.place(index, keys)).or_default().push(index);
    }
    by_key
}
