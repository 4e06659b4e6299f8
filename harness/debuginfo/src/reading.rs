//! Second pass: reads the chosen types of each object, and merges equal layouts of one name.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::codeview;
use crate::container::{ObjectFormat, ObjectSource, parse_object};
use crate::dwarf::{DebugSections, DwarfObject, DwarfStorage, FileNames, TypeKey, TypeReader};
use crate::index::{DebugIndex, IndexEntry, NameGroup};
use crate::input::DebugInput;
use crate::layout_file::{LayoutFile, LayoutFileReader};
use crate::{DebugInfoError, FoundTypes, HostShape, HostTypeId, HostUnit, HostUnitId, NamedHostType, NamedLayout};

pub(crate) fn read_types(
    input: DebugInput<'_>,
    index: &DebugIndex,
    chosen: &[NameGroup],
) -> Result<FoundTypes, DebugInfoError> {
    let mut requests: Vec<TypeRequest> = Vec::new();
    for (name, &group) in chosen.iter().enumerate() {
        requests.extend(index.entries_of(group).map(|entry| TypeRequest { name, entry }));
    }
    requests.sort_by_key(|request| request.entry.location);

    let mut reading = Reading {
        input,
        index,
        found: FoundTypes::default(),
        unit_numbers: HashMap::new(),
        answers: (0..chosen.len()).map(|_| NameAnswers::default()).collect(),
    };
    for of_object in requests.chunk_by(|left, right| left.entry.location.object == right.entry.location.object) {
        reading.read_object(of_object)?;
    }
    Ok(reading.finish(chosen))
}

/// An entry to read for one of the chosen names.
#[derive(Clone, Copy)]
struct TypeRequest {
    name: usize,
    entry: IndexEntry,
}

#[derive(Default)]
struct NameAnswers {
    definitions: Vec<Definition>,
    declared_in: BTreeSet<HostUnitId>,
}

struct Definition {
    ty: HostTypeId,
    unit: HostUnitId,
}

struct Reading<'data, 'index> {
    input: DebugInput<'data>,
    index: &'index DebugIndex,
    found: FoundTypes,
    unit_numbers: HashMap<HostUnit, HostUnitId>,
    answers: Vec<NameAnswers>,
}

impl Reading<'_, '_> {
    fn read_object(&mut self, requests: &[TypeRequest]) -> Result<(), DebugInfoError> {
        let Some(first) = requests.first() else { return Ok(()) };
        let number = first.entry.location.object;
        let Some(source) = self.index.objects.get(number as usize) else { return Ok(()) };
        let bytes = source.file.open(self.input.bytes, self.input.siblings, Some(source.range.clone()));
        let Some(bytes) = bytes else {
            let (object, sibling) = (self.input.name.to_owned(), source.name.clone());
            self.found.problems.push(DebugInfoError::SiblingMissing { object, sibling });
            return Ok(());
        };

        match source.format {
            ObjectFormat::Pdb => {
                let types = codeview::pdb_types(&source.name, bytes.as_slice())?;
                self.read_codeview(&types, requests)
            }
            ObjectFormat::LayoutFile => {
                let file = LayoutFile::parse(&source.name, bytes.as_slice(), &self.input.limits)?;
                self.read_layout_file(&source.name, &file, requests)
            }
            ObjectFormat::Object => self.read_binary(number, source, bytes.as_slice(), requests),
        }
    }

    fn read_binary(
        &mut self,
        number: u32,
        source: &ObjectSource,
        bytes: &[u8],
        requests: &[TypeRequest],
    ) -> Result<(), DebugInfoError> {
        let file = parse_object(source, bytes)?;
        let sections = DebugSections::load(&source.name, &file, true, &self.input.limits)?;
        if !sections.describe_types() {
            return match codeview::object_types(&source.name, &file, &self.input.limits)? {
                Some(types) => self.read_codeview(&types, requests),
                None => Ok(()),
            };
        }

        let split_files = match source.skeleton {
            Some(skeleton) => self.split_files(skeleton)?,
            None => HashMap::new(),
        };
        let storage = DwarfStorage { name: source.name.clone(), sections };
        self.read_dwarf(number, &storage, &split_files, requests)
    }

    fn read_dwarf(
        &mut self,
        number: u32,
        storage: &DwarfStorage<'_>,
        split_files: &HashMap<u64, Rc<FileNames>>,
        requests: &[TypeRequest],
    ) -> Result<(), DebugInfoError> {
        let object = DwarfObject::new(storage);
        let mut types = std::mem::take(&mut self.found.types);
        let limits = self.input.limits;
        let mut reader = TypeReader::new(&object, number, self.index, &mut types, &limits, split_files);

        let outcome = self.read_requests(requests, |IndexEntry { location, kind, .. }| {
            let unit = reader.host_unit(&*reader.unit(location.unit)?);
            let key = TypeKey { unit: location.unit, entry: location.entry };
            Ok((unit, (!kind.is_declaration).then(|| reader.read(key, 0))))
        });
        self.found.types = types;
        outcome
    }

    fn read_codeview(
        &mut self,
        types: &codeview::CodeViewTypes<'_>,
        requests: &[TypeRequest],
    ) -> Result<(), DebugInfoError> {
        let mut host_types = std::mem::take(&mut self.found.types);
        let limits = self.input.limits;
        let mut reader = codeview::CodeViewReader::new(types, &mut host_types, &limits);

        let outcome = self.read_requests(requests, |IndexEntry { location, kind, .. }| {
            Ok((reader.host_unit(location.entry), (!kind.is_declaration).then(|| reader.read(location.entry, 0))))
        });
        self.found.types = host_types;
        outcome
    }

    fn read_layout_file(
        &mut self,
        name: &str,
        file: &LayoutFile,
        requests: &[TypeRequest],
    ) -> Result<(), DebugInfoError> {
        let mut types = std::mem::take(&mut self.found.types);
        let limits = self.input.limits;
        let mut reader = LayoutFileReader::new(name, file, &mut types, &limits);
        let outcome = self.read_requests(requests, |IndexEntry { location, .. }| {
            Ok((reader.host_unit(), Some(reader.read(location.entry, 0))))
        });
        self.found.types = types;
        outcome
    }

    /// `read` gives the unit of an entry, and the type unless the entry only declares it.
    fn read_requests(
        &mut self,
        requests: &[TypeRequest],
        mut read: impl FnMut(&IndexEntry) -> Result<(HostUnit, Option<ReadType>), DebugInfoError>,
    ) -> Result<(), DebugInfoError> {
        for request in requests {
            let (unit, ty) = match read(&request.entry) {
                Ok((unit, ty)) => (self.number_unit(unit), ty),
                Err(problem) => {
                    self.found.problems.push(problem);
                    continue;
                }
            };
            let answers = &mut self.answers[request.name];
            match ty {
                None => _ = answers.declared_in.insert(unit),
                Some(Ok(ty)) => answers.definitions.push(Definition { ty, unit }),
                Some(Err(error @ DebugInfoError::TooManyTypes { .. })) => return Err(error),
                Some(Err(problem)) => self.found.problems.push(problem),
            }
        }
        Ok(())
    }

    /// Reads the source files of skeleton units, by the numbers that they share with their split
    /// units.
    fn split_files(&self, skeleton: u32) -> Result<HashMap<u64, Rc<FileNames>>, DebugInfoError> {
        let mut files = HashMap::new();
        let Some(source) = self.index.objects.get(skeleton as usize) else { return Ok(files) };
        let bytes = source.file.open(self.input.bytes, self.input.siblings, Some(source.range.clone()));
        let Some(bytes) = bytes else { return Ok(files) };
        let file = parse_object(source, bytes.as_slice())?;
        let sections = DebugSections::load(&source.name, &file, true, &self.input.limits)?;
        let storage = DwarfStorage { name: source.name.clone(), sections };

        let object = DwarfObject::new(&storage);
        for number in (0..).take(object.unit_count()) {
            let (Ok(unit), Some(dwarf)) = (object.open(number), object.dwarf(number)) else { continue };
            if let Some(id) = unit.skeleton.as_ref().and_then(|skeleton| skeleton.dwo_id) {
                files.insert(id, Rc::new(FileNames::read(dwarf, &unit)));
            }
        }
        Ok(files)
    }

    fn number_unit(&mut self, unit: HostUnit) -> HostUnitId {
        let next = HostUnitId(u32::try_from(self.found.units.len()).unwrap_or(u32::MAX));
        let id = *self.unit_numbers.entry(unit.clone()).or_insert(next);
        if id == next {
            self.found.units.push(unit);
        }
        id
    }

    fn finish(mut self, chosen: &[NameGroup]) -> FoundTypes {
        for (group, answers) in chosen.iter().zip(std::mem::take(&mut self.answers)) {
            let name = self.index.names.name(group.name).to_owned();
            let named = self.gather(name, answers);
            self.found.named.push(named);
        }
        self.found
    }

    /// Merges the equal layouts of one name.
    fn gather(&self, name: String, answers: NameAnswers) -> NamedHostType {
        let types = &self.found.types;
        let mut declared_in = answers.declared_in;
        let mut layouts: Vec<LayoutInUse> = Vec::new();
        for definition in answers.definitions {
            let resolved = &types[types.resolve(definition.ty)];
            // A typedef of a type that its unit only declares has no layout.
            if matches!(resolved.shape, HostShape::Incomplete(_)) {
                declared_in.insert(definition.unit);
                continue;
            }
            let layout = types[definition.ty].layout;
            let known = layouts.iter().position(|known| types[known.ty].layout == layout);
            let position = known.unwrap_or_else(|| {
                layouts.push(LayoutInUse { ty: definition.ty, units: BTreeSet::new(), places: BTreeSet::new() });
                layouts.len() - 1
            });
            layouts[position].units.insert(definition.unit);
            layouts[position].places.extend(resolved.place.clone());
        }

        // A unit may declare a type before it defines it.
        declared_in.retain(|unit| !layouts.iter().any(|layout| layout.units.contains(unit)));
        layouts.sort_by_key(|layout| std::cmp::Reverse(layout.units.len()));
        let layouts = layouts.into_iter().map(|LayoutInUse { ty, units, places }| NamedLayout {
            ty,
            units: units.into_iter().collect(),
            places: places.into_iter().collect(),
        });
        NamedHostType { name, layouts: layouts.collect(), declared_in: declared_in.into_iter().collect() }
    }
}

/// A distinct layout while its units are collected.
struct LayoutInUse {
    ty: HostTypeId,
    units: BTreeSet<HostUnitId>,
    places: BTreeSet<crate::DeclarationPlace>,
}

type ReadType = Result<HostTypeId, DebugInfoError>;
