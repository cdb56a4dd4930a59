//! The methods: what they are called, what kind of models they give, which number each of them has to choose.

/// A method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Local,
    Global,
    Oracle,
    Gtv,
    GtvSelected,
    FedAdmm,
    FedAvg,
    FedSgd,
    FedProx,
    Ifca,
    Ditto,
    MrMtl,
    Gossip,
}

/// What kind of models a method gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Every node alone.
    Alone,
    /// One model for all.
    One,
    /// Models coupled over the graph.
    Graph,
    /// One model for each of a few clusters.
    Clusters,
    /// A model for every node, near a common one.
    Personal,
}

impl Method {
    /// All methods; of equally good ones the first is ranked first.
    pub(crate) const ALL: [Method; 13] = [
        Method::Local,
        Method::Global,
        Method::Oracle,
        Method::Gtv,
        Method::GtvSelected,
        Method::FedAdmm,
        Method::FedAvg,
        Method::FedSgd,
        Method::FedProx,
        Method::Ifca,
        Method::Ditto,
        Method::MrMtl,
        Method::Gossip,
    ];
    /// Their names on the command line.
    pub(crate) const NAMES: [&str; 13] = [
        "local",
        "global",
        "oracle",
        "gtv",
        "gtv-selected",
        "fed-admm",
        "fedavg",
        "fedsgd",
        "fedprox",
        "ifca",
        "ditto",
        "mr-mtl",
        "gossip",
    ];

    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        Method::NAMES[self as usize]
    }

    /// What it does, in a few words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Method::Local => "every node alone",
            Method::Global => "one model for all points",
            Method::Oracle => "one model for each known cluster",
            Method::Gtv => "models coupled over the graph",
            Method::GtvSelected => {
                "models coupled over the graph, without edges that the data speak against"
            }
            Method::FedAdmm => "the models of gtv, by rounds between neighbors",
            Method::FedAvg => "one model, averaged by a server",
            Method::FedSgd => "one model, by gradient steps of a server",
            Method::FedProx => "as fedavg, nodes stay near the server's model",
            Method::Ifca => "one model for each cluster, found without a graph",
            Method::Ditto => "fedavg, then own models near it",
            Method::MrMtl => "own models near their mean",
            Method::Gossip => "gradient steps, then averages with the neighbors",
        }
    }

    /// What kind of models it gives.
    pub(crate) fn kind(self) -> Kind {
        match self {
            Method::Local => Kind::Alone,
            Method::Gtv | Method::GtvSelected | Method::FedAdmm | Method::Gossip => Kind::Graph,
            Method::Oracle | Method::Ifca => Kind::Clusters,
            Method::Ditto | Method::MrMtl => Kind::Personal,
            Method::Global | Method::FedAvg | Method::FedSgd | Method::FedProx => Kind::One,
        }
    }

    /// The number that cross-validation chooses, if there is one.
    pub(crate) fn symbol(self) -> Option<&'static str> {
        match self {
            Method::Local | Method::Global | Method::Oracle | Method::FedSgd => None,
            Method::Gtv | Method::GtvSelected | Method::FedAdmm | Method::Ditto | Method::MrMtl => {
                Some("λ")
            }
            Method::FedAvg => Some("E"),
            Method::FedProx => Some("μ"),
            Method::Ifca => Some("K"),
            Method::Gossip => Some("η"),
        }
    }

    /// The method whose cross-validation chooses the number: Fed-ADMM has the models of `gtv`, only later.
    pub(crate) fn tuned_as(self) -> Method {
        if self == Method::FedAdmm { Method::Gtv } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_belong_to_their_methods() {
        for (k, method) in Method::ALL.into_iter().enumerate() {
            assert_eq!(method as usize, k);
            let plain = |s: &str| s.to_lowercase().replace('-', "");
            assert_eq!(plain(method.name()), plain(&format!("{method:?}")));
        }
    }
}
