//! How a sweep lays nodes and edges out in memory.
//!
//! Nodes are visited breadth first, so that neighbors are near each other, and are cut into blocks.
//! An edge is *inner* when both its ends lie in one block: it is stepped when the later of its ends
//! is visited, while its dual is still in the cache. All other edges are *cross* edges: they are
//! stepped when all nodes are done. The order changes no bit of the result, since every step reads
//! old values only; what it changes is the number of cache misses.
//!
//! A node needs the sum Σ sign·u of its edges. It *gathers* it, edge by edge in the order of the
//! graph, or the step of an inner edge *scatters* its new dual to the sums of both ends: that is
//! faster, but the sums then run in the order of the steps.

use crate::{Graph, Problem};

/// Work (edges times parameters) that is worth a thread of its own.
const WORK_PER_BLOCK: usize = 1 << 15;
/// Few enough that few edges cross, enough to share the work.
const MOST_BLOCKS: usize = 16;

/// How the sums of the duals at the nodes come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sums {
    /// Each node adds up the duals of its edges, in the order of the graph.
    Gathered,
    /// Each step of an inner edge adds its dual to the sums of both ends.
    Scattered,
}

/// An incidence of a node, in four bytes: where the dual of the edge is, and the sign of the node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot(u32);

impl Slot {
    const CROSS: u32 = 1 << 31;
    const HEAD: u32 = 1 << 30;

    #[inline(always)]
    fn is_cross(self) -> bool {
        self.0 & Slot::CROSS != 0
    }

    /// The dual of the edge.
    #[inline]
    pub(crate) fn dual<'d>(self, dim: usize, inner: &'d [f64], cross: &'d [f64]) -> &'d [f64] {
        let duals = if self.is_cross() { cross } else { inner };
        let row = (self.0 & !(Slot::CROSS | Slot::HEAD)) as usize * dim;
        &duals[row..row + dim]
    }

    /// The same, of `DIM` entries.
    #[inline(always)]
    pub(crate) fn fixed_dual<const DIM: usize>(self, inner: &[f64], cross: &[f64]) -> [f64; DIM] {
        let at = (self.0 & !(Slot::CROSS | Slot::HEAD)) as usize * DIM;
        let row = |duals: &[f64]| {
            let row = &duals[at..at + DIM];
            std::array::from_fn(|j| row[j])
        };
        // A branch in each of which a row is read: a processor foresees it, and need not wait for
        // both.
        if self.is_cross() { row(cross) } else { row(inner) }
    }

    /// The value at the tail, its negative at the head.
    #[inline(always)]
    pub(crate) fn signed(self, value: f64) -> f64 {
        f64::from_bits(value.to_bits() ^ u64::from(self.0 & Slot::HEAD) << 33)
    }
}

/// An edge as a step needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EdgeRecord {
    /// Place of the tail.
    pub(crate) tail: u32,
    /// Place of the head.
    pub(crate) head: u32,
    /// A
    pub(crate) weight: f64,
    /// Weight κ of the edge in the step sizes.
    pub(crate) kappa: f32,
    /// 2/κ
    pub(crate) metric: f32,
}

/// Edges in the order of their steps.
#[derive(Debug, Default)]
pub(crate) struct EdgeRun {
    pub(crate) records: Vec<EdgeRecord>,
    /// Index of each in the graph.
    pub(crate) edge: Vec<u32>,
}

/// The layout of one problem, whatever λ is.
pub(crate) struct Layout {
    pub(crate) sums: Sums,
    /// The node at each place.
    pub(crate) order: Vec<u32>,
    /// Nodes per block; the last block may have fewer.
    pub(crate) block: usize,
    /// For each place the first of its `slots`.
    pub(crate) first_slot: Vec<u32>,
    /// The incidences of every place that it gathers the duals of, in the order of the graph.
    pub(crate) slots: Vec<Slot>,
    /// Inner edges of each block, by their later end.
    pub(crate) inner: Vec<EdgeRun>,
    /// For each place the end of its inner edges in `inner` of its block.
    pub(crate) inner_end: Vec<u32>,
    /// Cross edges, by their later end.
    pub(crate) cross: EdgeRun,
    /// Σ κ over the edges of each place.
    pub(crate) degree: Vec<f64>,
}

/// Number of blocks of a problem: one if its sweeps are not worth several threads.
pub(crate) fn blocks(problem: &Problem) -> usize {
    let nodes = problem.nodes();
    let work = (problem.graph().edges().len() + nodes) * problem.dim();
    (work / WORK_PER_BLOCK).clamp(1, MOST_BLOCKS).min(nodes.max(1))
}

impl Layout {
    /// The layout of a problem, with κ of every edge.
    pub(crate) fn new(problem: &Problem, sums: Sums, kappa: impl Fn(usize) -> f32) -> Layout {
        let graph = problem.graph();
        let (nodes, edges) = (graph.nodes(), graph.edges().len());
        let block = nodes.div_ceil(blocks(problem)).max(1);
        let mut layout = Layout {
            sums,
            first_slot: Vec::with_capacity(nodes + 1),
            slots: Vec::with_capacity(if sums == Sums::Gathered { 2 * edges } else { 0 }),
            inner: (0..nodes.div_ceil(block)).map(|_| EdgeRun::default()).collect(),
            inner_end: Vec::with_capacity(nodes),
            cross: EdgeRun::default(),
            degree: Vec::with_capacity(nodes),
            order: breadth_first(graph),
            block,
        };
        let slot_of = layout.place_edges(graph, &kappa);
        layout.place_slots(graph, &slot_of, &kappa);
        layout
    }

    /// Puts every edge into the run of the block that both ends are in, or of the edges between
    /// blocks; gives where its dual is.
    fn place_edges(&mut self, graph: &Graph, kappa: &impl Fn(usize) -> f32) -> Vec<u32> {
        let mut place = vec![0u32; graph.nodes()];
        self.order.iter().enumerate().for_each(|(p, &i)| place[i as usize] = p as u32);
        let mut slot_of = vec![0u32; graph.edges().len()];
        for p in 0..graph.nodes() {
            let own_block = p / self.block;
            for inc in graph.incident(self.order[p] as usize) {
                let q = place[inc.neighbor()] as usize;
                if q > p {
                    continue;
                }
                let (tail, head) = if inc.sign() > 0.0 { (p, q) } else { (q, p) };
                let record = EdgeRecord {
                    tail: tail as u32,
                    head: head as u32,
                    weight: graph.edges()[inc.edge()].weight,
                    kappa: kappa(inc.edge()),
                    metric: 2.0 / kappa(inc.edge()),
                };
                let is_cross = q / self.block != own_block;
                let run = if is_cross { &mut self.cross } else { &mut self.inner[own_block] };
                slot_of[inc.edge()] =
                    run.records.len() as u32 | if is_cross { Slot::CROSS } else { 0 };
                run.records.push(record);
                run.edge.push(inc.edge() as u32);
            }
            self.inner_end.push(self.inner[own_block].records.len() as u32);
        }
        slot_of
    }

    /// Puts down which duals every place gathers, and Σ κ over its edges.
    fn place_slots(&mut self, graph: &Graph, slot_of: &[u32], kappa: &impl Fn(usize) -> f32) {
        for p in 0..graph.nodes() {
            self.first_slot.push(self.slots.len() as u32);
            let mut degree = 0.0;
            for inc in graph.incident(self.order[p] as usize) {
                let head = if inc.sign() > 0.0 { 0 } else { Slot::HEAD };
                let slot = Slot(slot_of[inc.edge()] | head);
                if self.sums == Sums::Gathered || slot.is_cross() {
                    self.slots.push(slot);
                }
                degree += f64::from(kappa(inc.edge()));
            }
            self.degree.push(degree);
        }
        self.first_slot.push(self.slots.len() as u32);
    }
}

/// All nodes, breadth first, each component from a node far from its first one.
fn breadth_first(graph: &Graph) -> Vec<u32> {
    let nodes = graph.nodes();
    let mut order: Vec<u32> = Vec::with_capacity(nodes);
    let mut seen = vec![0u8; nodes];
    let mut visit = |start: u32, mark: u8, order: &mut Vec<u32>| {
        let begin = order.len();
        seen[start as usize] = mark;
        order.push(start);
        let mut next = begin;
        while next < order.len() {
            for inc in graph.incident(order[next] as usize) {
                if seen[inc.neighbor()] < mark {
                    seen[inc.neighbor()] = mark;
                    order.push(inc.neighbor() as u32);
                }
            }
            next += 1;
        }
    };
    let mut done = vec![false; nodes];
    for start in 0..nodes {
        if done[start] {
            continue;
        }
        let begin = order.len();
        visit(start as u32, 1, &mut order);
        let far = order[order.len() - 1];
        order.truncate(begin);
        visit(far, 2, &mut order);
        order[begin..].iter().for_each(|&i| done[i as usize] = true);
    }
    order
}
