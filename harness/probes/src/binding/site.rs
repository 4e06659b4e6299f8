//! Encodes the place of a resource as a 32-bit word, and decodes it again.
//!
//! Every resource of a binding probe holds only the word of its own site, so a value that a shader
//! reads names the resource that was really read. All words are normal floats, which no device
//! flushes or changes, and none is a word of the byte images ([`crate::image`]).

use std::fmt;

use layoutproof_device::ResourceClass;

/// Bits for the element's number in a descriptor's word.
const ELEMENT_BITS: u32 = 8;
/// Bits for the binding's number in a descriptor's word.
const BINDING_BITS: u32 = 14;
/// Bits for the set's number in a descriptor's word.
const SET_BITS: u32 = 6;
/// Bits for the number in any other word.
const NUMBER_BITS: u32 = 24;

/// Exponents 0xA0 to 0xBF.
const DESCRIPTOR_TAG: u32 = 0x5000_0000;
const PUSH_CONSTANTS_TAG: u32 = 0x4100_0000;
const CONSTANT_TAG: u32 = 0x4200_0000;
const VARYING_TAG: u32 = 0x4300_0000;
const TARGET_TAG: u32 = 0x4400_0000;

/// A site that a shader reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BindingSite {
    /// One descriptor.
    Descriptor {
        /// The descriptor set or group.
        set: u32,
        binding: u32,
        /// The element of the array at that binding; 0 for a single resource.
        element: u32,
    },
    /// The push constants of the program.
    PushConstants,
    /// A specialization constant.
    Constant {
        /// The constant's `SpecId`.
        id: u32,
    },
    /// A value that the vertex stage passes to the fragment stage.
    Varying { location: u32 },
    /// A render target.
    Target { location: u32 },
}

/// Bits of a register's number in the binding of a descriptor.
const REGISTER_BITS: u32 = 11;

impl BindingSite {
    /// Returns the site of a parameter's first register on Direct3D 12. It is a descriptor with the
    /// register space as its set, and with the register's class and number in its binding. Array
    /// elements use the registers after it.
    ///
    /// `None` if the number needs too many bits.
    pub fn register(class: ResourceClass, space: u32, number: u32) -> Option<Self> {
        let class = match class {
            ResourceClass::ConstantBuffer => 1,
            ResourceClass::ShaderResource => 2,
            ResourceClass::UnorderedAccess => 3,
            ResourceClass::Sampler => 4,
        };
        let fits = number >> REGISTER_BITS == 0;
        fits.then_some(Self::Descriptor { set: space, binding: class << REGISTER_BITS | number, element: 0 })
    }

    /// Returns the class and number of the first register if the site is one of Direct3D 12.
    pub fn as_register(self) -> Option<(ResourceClass, u32)> {
        let Self::Descriptor { binding, .. } = self else { return None };
        let class = match binding >> REGISTER_BITS {
            1 => ResourceClass::ConstantBuffer,
            2 => ResourceClass::ShaderResource,
            3 => ResourceClass::UnorderedAccess,
            4 => ResourceClass::Sampler,
            _ => return None,
        };
        Some((class, binding & ((1 << REGISTER_BITS) - 1)))
    }

    /// Returns the location of a varying or a target; `None` for other sites.
    pub fn location(self) -> Option<u32> {
        match self {
            Self::Varying { location } | Self::Target { location } => Some(location),
            Self::Descriptor { .. } | Self::PushConstants | Self::Constant { .. } => None,
        }
    }

    /// Returns the array element; 0 if there is no array.
    pub fn element(self) -> u32 {
        match self {
            Self::Descriptor { element, .. } => element,
            Self::PushConstants | Self::Constant { .. } | Self::Varying { .. } | Self::Target { .. } => 0,
        }
    }

    /// Formats the site in Direct3D 12 syntax: `t3 space1`.
    pub fn register_text(self) -> String {
        let Self::Descriptor { set, element, .. } = self else { return self.to_string() };
        let Some((class, number)) = self.as_register() else { return self.to_string() };
        let space = if set == 0 { String::new() } else { format!(" space{set}") };
        format!("{}{}{space}", class.letter(), number + element)
    }

    /// Returns the word of the site; `None` if a number needs too many bits.
    pub fn word(self) -> Option<u32> {
        let fits = |number: u32, bits: u32| (number >> bits == 0).then_some(number);
        match self {
            Self::Descriptor { set, binding, element } => {
                let set = fits(set, SET_BITS)? << (BINDING_BITS + ELEMENT_BITS);
                let binding = fits(binding, BINDING_BITS)? << ELEMENT_BITS;
                Some(DESCRIPTOR_TAG | set | binding | fits(element, ELEMENT_BITS)?)
            }
            Self::PushConstants => Some(PUSH_CONSTANTS_TAG),
            Self::Constant { id } => Some(CONSTANT_TAG | fits(id, NUMBER_BITS)?),
            Self::Varying { location } => Some(VARYING_TAG | fits(location, NUMBER_BITS)?),
            Self::Target { location } => Some(TARGET_TAG | fits(location, NUMBER_BITS)?),
        }
    }

    /// Returns the site that a word names; `None` for other words.
    pub fn of_word(word: u32) -> Option<Self> {
        let low = |bits: u32| word & ((1 << bits) - 1);

        if word >> (SET_BITS + BINDING_BITS + ELEMENT_BITS)
            == DESCRIPTOR_TAG >> (SET_BITS + BINDING_BITS + ELEMENT_BITS)
        {
            let set = low(SET_BITS + BINDING_BITS + ELEMENT_BITS) >> (BINDING_BITS + ELEMENT_BITS);
            let binding = low(BINDING_BITS + ELEMENT_BITS) >> ELEMENT_BITS;
            return Some(Self::Descriptor { set, binding, element: low(ELEMENT_BITS) });
        }

        let number = low(NUMBER_BITS);
        match word & !number {
            PUSH_CONSTANTS_TAG if number == 0 => Some(Self::PushConstants),
            CONSTANT_TAG => Some(Self::Constant { id: number }),
            VARYING_TAG => Some(Self::Varying { location: number }),
            TARGET_TAG => Some(Self::Target { location: number }),
            _ => None,
        }
    }

    /// Returns the site `further` elements or locations after this one. Push constants and
    /// constants have no further sites.
    #[must_use]
    pub fn further(self, further: u32) -> Self {
        let beyond = |number: u32| number.saturating_add(further);
        match self {
            Self::Descriptor { set, binding, element } => Self::Descriptor { set, binding, element: beyond(element) },
            Self::Varying { location } => Self::Varying { location: beyond(location) },
            Self::Target { location } => Self::Target { location: beyond(location) },
            Self::PushConstants | Self::Constant { .. } => self,
        }
    }
}

impl fmt::Display for BindingSite {
    /// Formats as `set 0 binding 1`, `set 0 binding 1 element 2`, `constant-id 3`, `location 4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Descriptor { set, binding, element: 0 } => write!(f, "set {set} binding {binding}"),
            Self::Descriptor { set, binding, element } => write!(f, "set {set} binding {binding} element {element}"),
            Self::PushConstants => f.write_str("push-constant 0"),
            Self::Constant { id } => write!(f, "constant-id {id}"),
            Self::Varying { location } | Self::Target { location } => write!(f, "location {location}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::encoding::Half;
    use crate::image::{BEFORE_WORD, REFILL_WORD, data_word, nonce_word};

    const SITES: [BindingSite; 9] = [
        BindingSite::Descriptor { set: 0, binding: 0, element: 0 },
        BindingSite::Descriptor { set: 1, binding: 0, element: 0 },
        BindingSite::Descriptor { set: 0, binding: 1, element: 0 },
        BindingSite::Descriptor { set: 0, binding: 0, element: 1 },
        BindingSite::Descriptor { set: 63, binding: 16383, element: 255 },
        BindingSite::PushConstants,
        BindingSite::Constant { id: 7 },
        BindingSite::Varying { location: 7 },
        BindingSite::Target { location: 7 },
    ];

    #[test]
    fn a_word_names_its_place_alone_and_is_a_normal_float() {
        for site in SITES {
            let word = site.word().unwrap();
            assert_eq!(BindingSite::of_word(word), Some(site), "0x{word:08X}");
            assert!(f32::from_bits(word).is_normal(), "0x{word:08X}");
        }
        let words: std::collections::BTreeSet<_> = SITES.iter().map(|site| site.word()).collect();
        assert_eq!(words.len(), SITES.len());
    }

    #[test]
    fn registers_are_descriptors_with_a_class() {
        let site = BindingSite::register(ResourceClass::UnorderedAccess, 9, 7).unwrap();
        assert_eq!(site.as_register(), Some((ResourceClass::UnorderedAccess, 7)));
        assert_eq!(BindingSite::of_word(site.further(3).word().unwrap()), Some(site.further(3)));
        assert_eq!(site.further(3).register_text(), "u10 space9");
        assert_eq!(BindingSite::register(ResourceClass::Sampler, 0, 0).unwrap().register_text(), "s0");
        assert_eq!(BindingSite::register(ResourceClass::Sampler, 0, 2048), None);
        // The program's own resources are not registers of parameters.
        assert_eq!(BindingSite::Descriptor { set: 0, binding: 12, element: 0 }.as_register(), None);
    }

    #[test]
    fn numbers_beyond_the_bits_have_no_word() {
        let descriptor = |set, binding, element| BindingSite::Descriptor { set, binding, element };
        let beyond = [descriptor(64, 0, 0), descriptor(0, 16384, 0), descriptor(0, 0, 256)];
        for site in beyond.into_iter().chain([BindingSite::Constant { id: 1 << 24 }]) {
            assert_eq!(site.word(), None, "{site}");
        }
    }

    #[test]
    fn words_of_images_name_no_place() {
        for word in [0, BEFORE_WORD, REFILL_WORD, data_word(36, Half::Low), nonce_word(1), 0x3F80_0000] {
            assert_eq!(BindingSite::of_word(word), None, "0x{word:08X}");
        }
    }

    #[test]
    fn places_print_as_the_contract_says() {
        let texts = SITES.map(|site| site.to_string());
        let last = "set 63 binding 16383 element 255";
        let expected = [
            "set 0 binding 0",
            "set 1 binding 0",
            "set 0 binding 1",
            "set 0 binding 0 element 1",
            last,
            "push-constant 0",
            "constant-id 7",
            "location 7",
            "location 7",
        ];
        assert_eq!(texts, expected);
    }
}
