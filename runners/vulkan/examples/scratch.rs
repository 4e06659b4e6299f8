#![allow(warnings)]
#[path = "/tmp/fixture_sp/mod.rs"]
mod fixture;
use layoutproof::generate::spirv::produce;
use layoutproof::probe::*;
use layoutproof::record::*;
use layoutproof::runner::*;
fn main() {
    let mut blocks = fixture::blocks();
    blocks.push((
        "large",
        fixture::block(fixture::structure(
            "S",
            vec![
                ("a", 0, fixture::array(fixture::vector(fixture::FLOAT, 4), 6000, 16)),
                ("h", 96_000, fixture::scalar(fixture::HALF)),
                ("d", 96_008, fixture::scalar(fixture::DOUBLE)),
            ],
        )),
    ));
    for info in layoutproof_vulkan::devices().unwrap() {
        let mut device = layoutproof_vulkan::open(&info).unwrap();
        println!("== {} {:?}", info.id, info.features);
        for (name, layout) in &blocks {
            for space in Space::ALL {
                for stage in Stage::ALL {
                    let plan = plan_in(layout, &layout.leaves(), &[(space, stage)].into());
                    if plan.entries.is_empty() {
                        continue;
                    }
                    let produced = produce(layout, &plan).unwrap();
                    let shader = produced.shader();
                    let requires = produced.requires();
                    if let Some(f) = requires.iter().find(|f| !info.features.contains(f)) {
                        println!("{name} {space:?} {stage:?}: lacks {f}");
                        continue;
                    }
                    let probes = jobs(layout, &plan, PlanShader { shader: &shader, requires: &requires }).unwrap();
                    let (mut good, mut bad) = (0, 0);
                    for probe in &probes {
                        let batch = Batch { jobs: probe.runs.iter().map(|r| r.job.clone()).collect() };
                        let answers: Result<Vec<_>, _> = device.run(&batch).into_iter().collect();
                        let answers = match answers {
                            Ok(a) => a,
                            Err(e) => {
                                println!("{name} {}: {e}", probe.entry.name);
                                bad += 1;
                                continue;
                            }
                        };
                        let observed = observe(&plan, probe, &answers);
                        for o in &observed.observations {
                            let want = if o.form == Form::Length { 2 } else { plan.leaves[o.leaf as usize].offset };
                            if o.offset == Some(want) && o.note.is_none() {
                                good += 1
                            } else {
                                bad += 1;
                                if bad < 4 {
                                    println!("{name} {}: {} {o:?}", probe.entry.name, plan.leaves[o.leaf as usize].path)
                                }
                            }
                        }
                        for p in observed.problems.iter().take(3) {
                            println!("{name} {}: {p}", probe.entry.name);
                        }
                    }
                    println!("{name} {space:?} {stage:?}: good {good} bad {bad}");
                }
            }
        }
    }
}
