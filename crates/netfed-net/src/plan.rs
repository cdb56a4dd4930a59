//! What every member works out from the description alone: who hosts which nodes, which numbers
//! cross between two members, and the tree along which sums travel.
//!
//! Nodes are numbered in their natural order (`names.rs`), as in one process, so that edges have
//! the same tail and the same slot everywhere and results agree to the last bit.

use netfed::Graph;

/// The part of one member.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Its place among the members.
    pub member: usize,
    /// The nodes that it hosts, ascending.
    pub nodes: Vec<usize>,
    /// Edges with both ends here: (place, slot) of the tail and of the head.
    pub inner: Vec<[(usize, usize); 2]>,
    /// The other members with an edge to this one, ascending.
    pub links: Vec<LinkPlan>,
    /// The link towards the root of the tree; none at the root itself.
    pub parent: Option<usize>,
    /// The links away from the root.
    pub children: Vec<usize>,
}

/// What two members exchange.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkPlan {
    /// The other member.
    pub member: usize,
    /// Places of the nodes here whose messages it needs, ascending.
    pub sent: Vec<usize>,
    /// Nodes there whose messages come in, ascending.
    pub received: Vec<usize>,
    /// The edges between the two, in the order of the graph.
    pub edges: Vec<CrossEdge>,
}

impl LinkPlan {
    /// Vectors of which a copy of one end of it consists: the duals of the edges, and the models at
    /// both ends.
    pub(crate) fn copied(&self) -> usize {
        self.edges.len() + self.sent.len() + self.received.len()
    }
}

/// An edge to a node of another member.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CrossEdge {
    /// Place of the node here.
    pub place: usize,
    /// Slot of the edge there.
    pub slot: usize,
    /// Position of the node in `sent`.
    pub sent: usize,
    /// Position of the neighbor in `received`.
    pub received: usize,
}

impl Plan {
    /// The part of a member; `host` is the member of every node.
    pub fn new(graph: &Graph, host: &[usize], member: usize) -> Plan {
        let nodes: Vec<usize> = (0..host.len()).filter(|&i| host[i] == member).collect();
        let place = |node: usize| nodes.partition_point(|&n| n < node);
        let mut plan = Plan {
            member,
            inner: Vec::new(),
            links: Vec::new(),
            parent: None,
            children: Vec::new(),
            nodes: nodes.clone(),
        };
        let mut crossing: Vec<(usize, usize, usize, usize)> = Vec::new();
        for &i in &nodes {
            for (slot, inc) in graph.incident(i).iter().enumerate() {
                let other = inc.neighbor();
                if host[other] != member {
                    crossing.push((host[other], inc.edge(), i, slot));
                } else if inc.sign() > 0.0 {
                    let back = graph.incident(other).iter().position(|b| b.edge() == inc.edge());
                    plan.inner.push([(place(i), slot), (place(other), back.unwrap_or(0))]);
                }
            }
        }
        crossing.sort_unstable();
        for group in crossing.chunk_by(|a, b| a.0 == b.0) {
            let neighbor = |&(_, _, i, slot): &(usize, usize, usize, usize)| {
                graph.incident(i)[slot].neighbor()
            };
            let sorted = |mut list: Vec<usize>| {
                list.sort_unstable();
                list.dedup();
                list
            };
            let own = sorted(group.iter().map(|c| c.2).collect());
            let received = sorted(group.iter().map(neighbor).collect());
            let edges = group.iter().map(|c| CrossEdge {
                place: place(c.2),
                slot: c.3,
                sent: own.partition_point(|&n| n < c.2),
                received: received.partition_point(|&n| n < neighbor(c)),
            });
            let edges = edges.collect();
            let sent = own.iter().map(|&n| place(n)).collect();
            plan.links.push(LinkPlan { member: group[0].0, sent, received, edges });
        }
        let parents = spanning_tree(graph, host);
        let link_to = |plan: &Plan, other: usize| plan.links.iter().position(|l| l.member == other);
        plan.parent = parents[member].and_then(|p| link_to(&plan, p));
        plan.children = (0..plan.links.len())
            .filter(|&l| parents[plan.links[l].member] == Some(member))
            .collect();
        plan
    }
}

/// The parent of every member in a breadth-first tree; none for the first member of each connected
/// part.
fn spanning_tree(graph: &Graph, host: &[usize]) -> Vec<Option<usize>> {
    let members = host.iter().max().map_or(0, |m| m + 1);
    let mut neighbors = vec![Vec::new(); members];
    for e in graph.edges() {
        let (a, b) = (host[e.tail], host[e.head]);
        if a != b {
            neighbors[a].push(b);
            neighbors[b].push(a);
        }
    }
    neighbors.iter_mut().for_each(|list| {
        list.sort_unstable();
        list.dedup();
    });
    let mut parents = vec![None; members];
    let mut seen = vec![false; members];
    for root in 0..members {
        let mut queue = std::collections::VecDeque::new();
        if !seen[root] {
            seen[root] = true;
            queue.push_back(root);
        }
        while let Some(m) = queue.pop_front() {
            for &other in &neighbors[m] {
                if !seen[other] {
                    seen[other] = true;
                    parents[other] = Some(m);
                    queue.push_back(other);
                }
            }
        }
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_see_the_same_edges() {
        // Two members with two nodes each: a square with a diagonal.
        let edges = [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 0, 1.0), (0, 2, 1.0)];
        let graph = Graph::new(4, &edges).unwrap();
        let host = [0, 0, 1, 1];
        let (a, b) = (Plan::new(&graph, &host, 0), Plan::new(&graph, &host, 1));
        assert_eq!((a.nodes.as_slice(), b.nodes.as_slice()), (&[0, 1][..], &[2, 3][..]));
        assert_eq!(a.inner, [[(0, 0), (1, 0)]]);
        assert_eq!((a.links.len(), b.links.len()), (1, 1));
        let (ab, ba) = (&a.links[0], &b.links[0]);
        assert_eq!(ab.edges.len(), 3);
        for (x, y) in ab.edges.iter().zip(&ba.edges) {
            assert_eq!(a.nodes[x.place], ba.received[y.received]);
            assert_eq!(b.nodes[y.place], ab.received[x.received]);
            assert_eq!(ab.sent[x.sent], x.place);
        }
        assert_eq!((a.parent, a.children.as_slice()), (None, &[0][..]));
        assert_eq!((b.parent, b.children.len()), (Some(0), 0));
    }

    #[test]
    fn every_part_of_a_graph_has_its_own_root() {
        let graph = Graph::new(5, &[(0, 1, 1.0), (1, 2, 1.0), (3, 4, 1.0)]).unwrap();
        let host = [0, 1, 2, 3, 4];
        assert_eq!(spanning_tree(&graph, &host), [None, Some(0), Some(1), None, Some(3)]);
    }
}
