//! Built-in functions and methods: their reads, their writes, and other side effects.

use layoutproof_layout::resource::{Access, Dimension, ResourceKind, Texture};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::Type;

use super::graph::{Graph, NodeId};
use super::integer::Integer;
use super::literals::{float, is_true};
use super::value::{Handle, Value, number};
use super::{Liveness, State};
use layoutproof_frontend::module::code::{BinaryOperator, CallExpression, Expression, Literal, element_of};
use layoutproof_source::words::words;

/// Functions of the components of their arguments.
const ELEMENTWISE: [&str; 65] = words(
    "
    abs acos asin asfloat asint asuint asdouble asfloat16 asint16 asuint16 atan atan2 ceil cos cosh countbits ddx
    ddx_coarse ddx_fine ddy ddy_coarse ddy_fine degrees exp exp2 f16tof32 f32tof16 firstbithigh firstbitlow floor
    fma fmod frac fwidth isfinite isinf isnan ldexp log log10 log2 radians rcp reversebits round rsqrt saturate sign
    sin sinh smoothstep sqrt step tan tanh trunc NonUniformResourceIndex EvaluateAttributeAtSample
    EvaluateAttributeCentroid EvaluateAttributeSnapped EvaluateAttributeAtCentroid GetAttributeAtVertex
    D3DCOLORtoUBYTE4 msad4 pow
    ",
);

/// Functions of all components of their arguments that give one scalar.
const SCALAR: [&str; 10] = words(
    "
    dot length distance determinant any all dot2add dot4add_u8packed dot4add_i8packed noise
    ",
);

/// Functions of all components of their arguments that give what the first one is.
const MIXED: [&str; 6] = ["normalize", "reflect", "refract", "faceforward", "cross", "lit"];

/// Functions without arguments, or with values that the shader receives.
const INPUTS: [&str; 31] = words(
    "
    WaveGetLaneIndex WaveGetLaneCount WaveIsFirstLane DispatchRaysIndex DispatchRaysDimensions WorldRayOrigin
    WorldRayDirection ObjectRayOrigin ObjectRayDirection RayTMin RayTCurrent RayFlags PrimitiveIndex InstanceIndex
    InstanceID GeometryIndex HitKind ObjectToWorld3x4 ObjectToWorld4x3 WorldToObject3x4 WorldToObject4x3
    GetRenderTargetSampleCount GetRenderTargetSamplePosition IsHelperLane ObjectToWorld WorldToObject
    CheckAccessFullyMapped GetMeshPayload sampleindex isfront CreateResourceFromHeap
    ",
);

impl<'m> Liveness<'m> {
    pub(super) fn built_in(&mut self, call: &'m CallExpression, state: &mut State<'m>) -> Value<'m> {
        match &call.object {
            Some(object) => self.built_in_method(object, call, state),
            None => self.intrinsic(call, state),
        }
    }

    fn arguments(&mut self, call: &'m CallExpression, state: &mut State<'m>) -> Vec<Value<'m>> {
        call.arguments.iter().map(|argument| self.evaluate(argument, state)).collect()
    }

    fn intrinsic(&mut self, call: &'m CallExpression, state: &mut State<'m>) -> Value<'m> {
        let name = call.name.as_str();
        let values = self.arguments(call, state);
        if ELEMENTWISE.contains(&name) && !(name == "asuint" && values.len() == 3) {
            return self.componentwise(name, &values);
        }
        if let Some(value) = self.expanded(name, &values) {
            return value;
        }

        let all = self.dependencies(&values);
        if let ("any" | "all", [value]) = (name, values.as_slice()) {
            if let Some((nodes, _)) = self.graph.components(value) {
                let operator = if name == "any" { BinaryOperator::Or } else { BinaryOperator::And };
                let truth = Type::Scalar(Scalar::Bool);
                let truths = nodes.into_iter().map(|node| {
                    let truth = self.graph.cast(&truth, Value::Scalar(node));
                    self.graph.whole(&truth)
                });
                let truths: Vec<NodeId> = truths.collect();
                let joined = truths.into_iter().reduce(|one, other| self.graph.binary(operator, one, other));
                return Value::Scalar(joined.unwrap_or_else(|| self.graph.undefined()));
            }
        }
        if SCALAR.contains(&name) {
            let node = match (name, self.constants(&all)) {
                ("any", Some(literals)) => self.graph.constant(Literal::Boolean(literals.into_iter().any(is_true))),
                ("all", Some(literals)) => self.graph.constant(Literal::Boolean(literals.into_iter().all(is_true))),
                (_, _) => self.graph.computed(name, all),
            };
            return Value::Scalar(node);
        }
        if MIXED.contains(&name) {
            let mut node = self.graph.computed(name, all.clone());
            if matches!(name, "refract" | "lit") && all.iter().any(|one| self.graph.literal(*one).is_some()) {
                // DXC writes them out, and a constant may decide them.
                node = self.graph.doubtful(node);
            }
            let first = values.first().and_then(|first| self.graph.components(first));
            return match first {
                Some((nodes, columns)) => self.parts(node, nodes.len(), columns),
                None => Value::Opaque(node, None),
            };
        }
        if INPUTS.contains(&name) {
            return Value::Opaque(self.graph.fresh(all), input_type(name));
        }

        match name {
            "sincos" | "modf" | "frexp" => {
                for at in 1..call.arguments.len() {
                    let output = self.componentwise(&format!("{name}{at}"), &values[..1]);
                    self.assign(&call.arguments[at], output, state);
                }
                self.componentwise(name, &values[..1])
            }
            "asuint" => {
                for at in 1..3 {
                    let output = self.componentwise(&format!("{name}{at}"), &values[..1]);
                    self.assign(&call.arguments[at], output, state);
                }
                self.graph.undefined_value(None)
            }
            "clip" => {
                self.effect(all, state);
                self.graph.undefined_value(None)
            }
            _ if name.starts_with("Interlocked") => self.interlocked(call, &values, state),
            _ if name.starts_with("Wave") || name.starts_with("Quad") => {
                // DXC does not drop them (measured).
                self.effect(all, state);
                self.componentwise(name, &values)
            }
            "TraceRay"
            | "CallShader"
            | "ReportHit"
            | "IgnoreHit"
            | "AcceptHitAndEndSearch"
            | "DispatchMesh"
            | "SetMeshOutputCounts"
            | "abort"
            | "printf"
            | "errorf"
            | "Barrier" => {
                self.effect(all.clone(), state);
                if matches!(name, "TraceRay" | "CallShader") {
                    if let (Some(payload), Some(Value::Opaque(..) | Value::Struct(_))) =
                        (call.arguments.last(), values.last())
                    {
                        let last = values[values.len() - 1].clone();
                        let written = self.graph.fresh(all);
                        let opened = self.graph.open_all(&last);
                        let mut at = 0;
                        let new = self.graph.mapped(&opened, &mut |graph, _| {
                            at += 1;
                            graph.part(written, at)
                        });
                        self.assign(payload, new, state);
                    }
                    return self.graph.undefined_value(None);
                }
                Value::Scalar(self.graph.fresh(all))
            }
            _ if name.contains("MemoryBarrier") => {
                self.effect(all, state);
                self.graph.undefined_value(None)
            }
            _ => {
                // Not known: it may have an effect.
                self.doubtful += 1;
                self.effect(all.clone(), state);
                self.doubtful -= 1;
                Value::Opaque(self.graph.computed(name, all), None)
            }
        }
    }

    fn constants(&self, nodes: &[NodeId]) -> Option<Vec<Literal>> {
        nodes.iter().map(|node| self.graph.literal(*node)).collect()
    }

    fn parts(&mut self, node: NodeId, length: usize, columns: Option<usize>) -> Value<'m> {
        let nodes = (0..length).map(|at| self.graph.part(node, u32::try_from(at).unwrap_or(0))).collect();
        number(nodes, columns)
    }

    fn componentwise(&mut self, name: &str, values: &[Value<'m>]) -> Value<'m> {
        self.elementwise(values, &mut |graph, nodes| component(graph, name, nodes))
    }

    /// Functions that DXC writes out as operations, so that they fold as those do.
    fn expanded(&mut self, name: &str, values: &[Value<'m>]) -> Option<Value<'m>> {
        use BinaryOperator as B;
        match (name, values) {
            ("min", [one, other]) => Some(self.operation(B::Least, one, other)),
            ("max", [one, other]) => Some(self.operation(B::Greatest, one, other)),
            ("clamp", [value, least, most]) => {
                let value = self.operation(B::Greatest, value, least);
                Some(self.operation(B::Least, &value, most))
            }
            ("mad", [first, second, third]) => {
                let product = self.operation(B::Multiply, first, second);
                Some(self.operation(B::Add, &product, third))
            }
            ("lerp", [first, second, share]) => {
                let difference = self.operation(B::Subtract, second, first);
                let part = self.operation(B::Multiply, &difference, share);
                Some(self.operation(B::Add, first, &part))
            }
            ("and", [one, other]) => Some(self.operation(B::And, one, other)),
            ("or", [one, other]) => Some(self.operation(B::Or, one, other)),
            ("select", [condition, first, second]) => Some(self.selected(condition, first.clone(), second.clone())),
            ("mul", [one, other]) => self.product(one, other),
            ("cross", [one, other]) => {
                let (left, _) = self.graph.components(one).filter(|found| found.0.len() == 3)?;
                let right = self.graph.components(other).map(|found| found.0)?;
                let right = |at: usize| right.get(at).copied().unwrap_or(right[0]);
                let mut nodes = Vec::new();
                for at in 0..3 {
                    let (next, last) = ((at + 1) % 3, (at + 2) % 3);
                    let first = self.graph.binary(B::Multiply, left[next], right(last));
                    let second = self.graph.binary(B::Multiply, left[last], right(next));
                    nodes.push(self.graph.binary(B::Subtract, first, second));
                }
                Some(number(nodes, None))
            }
            ("distance", [one, other]) => {
                let difference = self.operation(B::Subtract, one, other);
                let (nodes, _) = self.graph.components(&difference)?;
                Some(Value::Scalar(self.graph.computed("length", nodes)))
            }
            ("transpose", [value]) => {
                let (nodes, columns) = self.graph.components(value)?;
                let columns = columns?;
                let rows = nodes.len() / columns.max(1);
                let turned = (0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column));
                Some(number(turned.map(|at| nodes[at]).collect(), Some(rows)))
            }
            _ => None,
        }
    }

    fn product(&mut self, one: &Value<'m>, other: &Value<'m>) -> Option<Value<'m>> {
        use BinaryOperator as B;
        let (left, left_columns) = self.graph.components(one)?;
        let (right, right_columns) = self.graph.components(other)?;
        let (rows, inner) = match left_columns {
            Some(columns) => (left.len() / columns.max(1), columns),
            None if left.len() > 1 => (1, left.len()),
            None => return Some(self.operation(B::Multiply, one, other)),
        };
        let columns = match right_columns {
            Some(columns) => columns,
            None if right.len() > 1 => 1,
            None => return Some(self.operation(B::Multiply, one, other)),
        };
        let inner = inner.min(right.len() / columns.max(1));
        let own = left.len() / rows.max(1);
        let mut nodes = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                let mut sum: Option<NodeId> = None;
                for at in 0..inner {
                    let product = self.graph.binary(B::Multiply, left[row * own + at], right[at * columns + column]);
                    sum = Some(match sum {
                        Some(sum) => self.graph.binary(B::Add, sum, product),
                        None => product,
                    });
                }
                nodes.push(sum?);
            }
        }
        let is_matrix = left_columns.is_some() && right_columns.is_some();
        Some(number(nodes, is_matrix.then_some(columns)))
    }

    /// `Interlocked...(destination, value, [value,] [out original])`, also on `groupshared` variables.
    fn interlocked(&mut self, call: &'m CallExpression, values: &[Value<'m>], state: &mut State<'m>) -> Value<'m> {
        let mut all = self.dependencies(values);
        if let Some(destination) = call.arguments.first() {
            // Other code may read what is written there.
            let written = Value::Opaque(self.graph.fresh(all.clone()), None);
            self.assign(destination, written, state);
        }
        let original = if call.name.contains("CompareStore") || call.name.contains("CompareExchange") { 3 } else { 2 };
        // The destination itself, though nothing reads it.
        all.extend(&self.path);
        self.effect(all.clone(), state);
        if let Some(output) = call.arguments.get(original) {
            let output_value = Value::Scalar(self.graph.fresh(all));
            self.assign(output, output_value, state);
        }
        self.graph.undefined_value(None)
    }

    fn built_in_method(
        &mut self,
        object: &'m Expression,
        call: &'m CallExpression,
        state: &mut State<'m>,
    ) -> Value<'m> {
        let value = self.evaluate(object, state);
        let values = self.arguments(call, state);
        let Value::Handles(handles) = &value else {
            if let Some((nodes, _)) = self.graph.components(&value) {
                if call.name == "Length" {
                    return Value::Scalar(self.graph.computed("Length", nodes));
                }
            }
            if is_read(&call.name) || call.name == "GetDimensions" {
                // A resource of the descriptor heap.
                let mut all = self.dependencies(std::slice::from_ref(&value));
                all.extend(self.dependencies(&values));
                self.assign_outputs(call, &values, &all, state);
                return Value::Opaque(self.graph.fresh(all), None);
            }
            // Streams of geometry shaders, ray queries: the object changes.
            let mut all = self.dependencies(std::slice::from_ref(&value));
            all.extend(self.dependencies(&values));
            all.extend(self.indices(object, state));
            if is_query(&call.name) {
                return Value::Opaque(self.graph.fresh(all), None);
            }
            self.effect(all.clone(), state);
            self.assign_outputs(call, &values, &all, state);
            let changed = Value::Opaque(self.graph.fresh(all), None);
            self.assign(object, changed.clone(), state);
            return changed;
        };
        let Some(handle) = handles.first().cloned() else { return self.graph.undefined_value(None) };
        let mut results = Vec::new();
        for handle in handles.iter() {
            results.push(self.resource_method(handle, call, &values, state));
        }
        let conditions = handle.operands;
        self.graph.joined(super::Joining::Choice, &conditions, &results)
    }

    /// Assigns the outputs of a method of an unknown object: the arguments that have no value yet, and all sizes.
    fn assign_outputs(
        &mut self,
        call: &'m CallExpression,
        values: &[Value<'m>],
        all: &[NodeId],
        state: &mut State<'m>,
    ) {
        for (argument, value) in call.arguments.iter().zip(values) {
            let whole = self.graph.whole(value);
            if call.name == "GetDimensions" || self.graph.is_undefined(whole) {
                let output = Value::Scalar(self.graph.fresh(all.to_vec()));
                self.assign(argument, output, state);
            }
        }
    }

    fn resource_method(
        &mut self,
        handle: &Handle<'m>,
        call: &'m CallExpression,
        values: &[Value<'m>],
        state: &mut State<'m>,
    ) -> Value<'m> {
        let name = call.name.as_str();
        let Type::Resource(resource) = handle.location.ty else {
            return Value::Opaque(self.graph.fresh(Vec::new()), None);
        };
        let mut operands = handle.operands.clone();
        if name == "GetDimensions" {
            let node = self.accessed(&handle.location, operands);
            let first = match resource.kind {
                ResourceKind::Texture(texture) => usize::from(call.arguments.len() == sizes(texture) + 2),
                _ => 0,
            };
            let level = if first == 1 { self.dependencies(&values[..1]) } else { Vec::new() };
            for (at, argument) in call.arguments.iter().enumerate().skip(first) {
                let mut operands = vec![node];
                operands.extend(&level);
                let size = self.graph.computed(&format!("GetDimensions{at}"), operands);
                self.assign(argument, Value::Scalar(size), state);
            }
            return self.graph.undefined_value(None);
        }

        if is_read(name) {
            let status = status_argument(name, resource.kind, call.arguments.len());
            let inputs = status.map_or(values, |at| &values[..at]);
            operands.extend(self.dependencies(inputs));
            // Different methods give different values.
            let method = self.graph.computed(name, Vec::new());
            operands.push(method);
            let node = self.read(&handle.location, resource, operands);
            if name == "Load" && matches!(resource.kind, ResourceKind::ByteAddressBuffer(_)) {
                // `Load<T>` can have any type.
                self.graph.note_integer(node, Integer::any(None));
            }
            if let Some(argument) = status.and_then(|at| call.arguments.get(at)) {
                let output = self.graph.computed("status", vec![node]);
                self.assign(argument, Value::Scalar(output), state);
            }
            return Value::Opaque(node, result_type(name, resource.kind, element_of(resource)));
        }

        // Everything else changes memory.
        operands.extend(self.dependencies(values));
        let node = self.accessed(&handle.location, operands);
        self.effect(vec![node], state);
        if name.starts_with("Interlocked") {
            let original = if name.contains("CompareStore") || name.contains("CompareExchange") { 3 } else { 2 };
            if let Some(argument) = call.arguments.get(original) {
                let output = self.graph.fresh(vec![node]);
                self.assign(argument, Value::Scalar(output), state);
            }
        }
        Value::Opaque(self.graph.fresh(vec![node]), element_of(resource).filter(|_| name == "Consume"))
    }
}

/// True for methods of ray queries that say what was found.
fn is_query(name: &str) -> bool {
    let queries = ["Committed", "Candidate", "RayFlags", "RayTMin", "WorldRay"];
    queries.iter().any(|query| name.starts_with(query))
}

fn input_type(name: &str) -> Option<Type> {
    match name {
        "WaveGetLaneIndex"
        | "WaveGetLaneCount"
        | "RayFlags"
        | "PrimitiveIndex"
        | "InstanceIndex"
        | "InstanceID"
        | "GeometryIndex"
        | "HitKind"
        | "GetRenderTargetSampleCount" => Some(Type::Scalar(Scalar::Uint32)),
        "DispatchRaysIndex" | "DispatchRaysDimensions" => Some(Type::Vector { scalar: Scalar::Uint32, length: 3 }),
        "WaveIsFirstLane" | "IsHelperLane" | "CheckAccessFullyMapped" => Some(Type::Scalar(Scalar::Bool)),
        _ => None,
    }
}

/// True for methods that read and change nothing.
fn is_read(name: &str) -> bool {
    let reads = ["Load", "Sample", "Gather", "CalculateLevelOfDetail", "GetSamplePosition"];
    reads.iter().any(|read| name.starts_with(read))
}

/// The place of the argument that says if the memory was mapped, of `count` arguments. Cubes have no offsets.
fn status_argument(name: &str, kind: ResourceKind, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    let (is_cube, is_written, is_multisample) = match kind {
        ResourceKind::Texture(texture) => {
            (texture.dimension == Dimension::Cube, texture.access != Access::Read, texture.multisample)
        }
        ResourceKind::CombinedSampler(texture) => (texture.dimension == Dimension::Cube, false, texture.multisample),
        _ => (false, false, false),
    };
    let is_texture = matches!(kind, ResourceKind::Texture(_) | ResourceKind::CombinedSampler(_));
    let offset = usize::from(!is_cube);
    let places: &[usize] = match name {
        "Load" if is_texture && !is_written => &[2 + usize::from(is_multisample)],
        "Load" | "Load2" | "Load3" | "Load4" => &[1],
        "Sample" | "SampleLevel" | "SampleCmpLevelZero" => &[3 + offset],
        "SampleBias" | "SampleCmp" | "SampleCmpLevel" => &[4 + offset],
        "SampleGrad" | "SampleCmpBias" => &[5 + offset],
        "SampleCmpGrad" => &[6 + offset],
        _ if name.starts_with("GatherCmp") => &[3 + offset, 7],
        _ if name.starts_with("Gather") => &[2 + offset, 6],
        _ => &[],
    };
    places.contains(&last).then_some(last)
}

fn result_type(name: &str, kind: ResourceKind, element: Option<Type>) -> Option<Type> {
    let vector = |scalar, length| Some(Type::Vector { scalar, length });
    match (kind, name) {
        (ResourceKind::ByteAddressBuffer(_), "Load2") => vector(Scalar::Uint32, 2),
        (ResourceKind::ByteAddressBuffer(_), "Load3") => vector(Scalar::Uint32, 3),
        (ResourceKind::ByteAddressBuffer(_), "Load4") => vector(Scalar::Uint32, 4),
        (ResourceKind::ByteAddressBuffer(_), _) => None,
        (_, "GetSamplePosition") => vector(Scalar::Float32, 2),
        (_, _) if name.starts_with("SampleCmp") || name.starts_with("Calculate") => Some(Type::Scalar(Scalar::Float32)),
        (_, _) if name.starts_with("Gather") => vector(Scalar::Float32, 4),
        (_, _) => element,
    }
}

/// How many numbers say the size of a texture.
fn sizes(texture: Texture) -> usize {
    let dimensions = match texture.dimension {
        Dimension::One => 1,
        Dimension::Two | Dimension::Cube => 2,
        Dimension::Three => 3,
    };
    // Those with several samples give their number in place of that of their levels.
    dimensions + usize::from(texture.array) + usize::from(texture.multisample)
}

/// A function of one component, computed where its arguments are constants.
fn component(graph: &mut Graph, name: &str, nodes: &[NodeId]) -> NodeId {
    if nodes.iter().all(|node| graph.is_undefined(*node)) {
        return graph.undefined();
    }
    match (name, nodes) {
        ("pow", [base, exponent]) => {
            let logarithm = component(graph, "log2", &[*base]);
            let product = graph.binary(BinaryOperator::Multiply, logarithm, *exponent);
            return component(graph, "exp2", &[product]);
        }
        ("step", [edge, value]) if edge == value => return graph.constant(Literal::Float(1.0)),
        ("NonUniformResourceIndex", [index]) => return *index,
        // DXC writes a product with the second operand.
        ("fmod", [_, divisor]) if graph.literal(*divisor).is_some_and(|number| float(number) == 0.0) => {
            return graph.constant(Literal::Float(0.0));
        }
        ("fmod" | "ldexp", [value, _]) if graph.literal(*value).is_some_and(|number| float(number) == 0.0) => {
            return graph.constant(Literal::Float(0.0));
        }
        _ => {}
    }

    let literals: Option<Vec<f64>> = nodes.iter().map(|node| graph.literal(*node).map(float)).collect();
    let folded = literals.and_then(|literals| match (name, literals.as_slice()) {
        ("abs", [x]) => Some(x.abs()),
        ("ceil", [x]) => Some(x.ceil()),
        ("floor", [x]) => Some(x.floor()),
        ("round", [x]) => Some(x.round_ties_even()),
        ("trunc", [x]) => Some(x.trunc()),
        ("frac", [x]) => Some(x - x.floor()),
        ("sqrt", [x]) => Some(x.sqrt()),
        ("rsqrt", [x]) => Some(1.0 / x.sqrt()),
        ("rcp", [x]) => Some(1.0 / x),
        ("exp", [x]) => Some(x.exp()),
        ("exp2", [x]) => Some(x.exp2()),
        ("log", [x]) => Some(x.ln()),
        ("log2", [x]) => Some(x.log2()),
        ("sin", [x]) => Some(x.sin()),
        ("cos", [x]) => Some(x.cos()),
        ("saturate", [x]) => Some(x.clamp(0.0, 1.0)),
        ("sign", [x]) => Some(if *x == 0.0 { 0.0 } else { x.signum() }),
        ("step", [edge, x]) => Some(if x < edge { 0.0 } else { 1.0 }),
        ("ddx" | "ddy" | "ddx_fine" | "ddy_fine" | "ddx_coarse" | "ddy_coarse" | "fwidth", [_]) => Some(0.0),
        ("radians", [x]) => Some(x.to_radians()),
        ("degrees", [x]) => Some(x.to_degrees()),
        ("fma", [a, b, c]) => Some(a * b + c),
        _ => None,
    });
    if let Some(value) = folded.filter(|value| value.is_finite()) {
        return graph.constant(Literal::Float(value));
    }
    let node = graph.computed(name, nodes.to_vec());
    let integer = match name {
        "asuint" | "f32tof16" | "countbits" | "reversebits" | "firstbithigh" | "firstbitlow" => {
            Some(Integer::any(Some(true)))
        }
        "asint" => Some(Integer::any(Some(false))),
        "isnan" | "isinf" | "isfinite" => Some(Integer::truth()),
        _ => None,
    };
    if let Some(integer) = integer {
        graph.note_integer(node, integer);
    }
    node
}
