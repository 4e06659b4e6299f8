use super::types::Names;
use crate::scalar::{Scalar, SixteenBit};

#[test]
fn types_have_the_names_of_the_language() {
    let float = Names::of(Scalar::Float32, SixteenBit::On).unwrap();
    assert_eq!(float.vector(3), "vec3");
    // The OpenGL Shading Language 4.60, 4.1: "mat2x3: a 2-column, 3-row floating-point matrix".
    assert_eq!(float.matrix(3, 2).unwrap(), "mat2x3");
    assert_eq!(float.matrix(1, 3), None);
    assert_eq!(Names::of(Scalar::Int32, SixteenBit::On).unwrap().matrix(2, 2), None);
    assert_eq!(Names::of(Scalar::Half, SixteenBit::Off).unwrap().vector(1), "float");
    assert!(Names::of(Scalar::Min16Float, SixteenBit::On).is_err());
}
