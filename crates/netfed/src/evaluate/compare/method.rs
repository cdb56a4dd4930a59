//! The methods: what they are called, what kind of models they give, which number each of them has
//! to choose.

/// A method that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareMethod {
    /// Every node alone.
    Local,
    /// One model for all points.
    Global,
    /// One model for each known cluster.
    Oracle,
    /// Models coupled over the graph.
    Gtv,
    /// The same without the edges that the data speak against.
    GtvSelected,
    /// The models of `Gtv`, by rounds between neighbors.
    FedAdmm,
    /// One model, averaged by a server.
    FedAvg,
    /// One model, by gradient steps of a server.
    FedSgd,
    /// As `FedAvg`; nodes stay near the server's model.
    FedProx,
    /// One model for each cluster, found without a graph.
    Ifca,
    /// `FedAvg`, then own models near it.
    Ditto,
    /// Own models near their mean.
    MrMtl,
    /// Gradient steps, then averages with the neighbors.
    Gossip,
}

/// What kind of models a method gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelsOf {
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

impl CompareMethod {
    /// All methods; of equally good ones the first is ranked first.
    pub const ALL: [CompareMethod; 13] = [
        CompareMethod::Local,
        CompareMethod::Global,
        CompareMethod::Oracle,
        CompareMethod::Gtv,
        CompareMethod::GtvSelected,
        CompareMethod::FedAdmm,
        CompareMethod::FedAvg,
        CompareMethod::FedSgd,
        CompareMethod::FedProx,
        CompareMethod::Ifca,
        CompareMethod::Ditto,
        CompareMethod::MrMtl,
        CompareMethod::Gossip,
    ];
    /// Their names.
    pub const NAMES: [&str; 13] = [
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

    /// Its name.
    pub fn name(self) -> &'static str {
        CompareMethod::NAMES[self as usize]
    }

    /// What it does, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            CompareMethod::Local => "every node alone",
            CompareMethod::Global => "one model for all points",
            CompareMethod::Oracle => "one model for each known cluster",
            CompareMethod::Gtv => "models coupled over the graph",
            CompareMethod::GtvSelected => {
                "models coupled over the graph, without edges that the data speak against"
            }
            CompareMethod::FedAdmm => "the models of gtv, by rounds between neighbors",
            CompareMethod::FedAvg => "one model, averaged by a server",
            CompareMethod::FedSgd => "one model, by gradient steps of a server",
            CompareMethod::FedProx => "as fedavg, nodes stay near the server's model",
            CompareMethod::Ifca => "one model for each cluster, found without a graph",
            CompareMethod::Ditto => "fedavg, then own models near it",
            CompareMethod::MrMtl => "own models near their mean",
            CompareMethod::Gossip => "gradient steps, then averages with the neighbors",
        }
    }

    /// What kind of models it gives.
    pub fn kind(self) -> ModelsOf {
        match self {
            CompareMethod::Local => ModelsOf::Alone,
            CompareMethod::Gtv
            | CompareMethod::GtvSelected
            | CompareMethod::FedAdmm
            | CompareMethod::Gossip => ModelsOf::Graph,
            CompareMethod::Oracle | CompareMethod::Ifca => ModelsOf::Clusters,
            CompareMethod::Ditto | CompareMethod::MrMtl => ModelsOf::Personal,
            CompareMethod::Global
            | CompareMethod::FedAvg
            | CompareMethod::FedSgd
            | CompareMethod::FedProx => ModelsOf::One,
        }
    }

    /// The number that cross-validation chooses, if there is one.
    pub fn symbol(self) -> Option<&'static str> {
        match self {
            CompareMethod::Local
            | CompareMethod::Global
            | CompareMethod::Oracle
            | CompareMethod::FedSgd => None,
            CompareMethod::Gtv
            | CompareMethod::GtvSelected
            | CompareMethod::FedAdmm
            | CompareMethod::Ditto
            | CompareMethod::MrMtl => Some("λ"),
            CompareMethod::FedAvg => Some("E"),
            CompareMethod::FedProx => Some("μ"),
            CompareMethod::Ifca => Some("K"),
            CompareMethod::Gossip => Some("η"),
        }
    }

    /// The method whose cross-validation chooses the number: Fed-ADMM has the models of `gtv`, only
    /// later.
    pub fn tuned_as(self) -> CompareMethod {
        if self == CompareMethod::FedAdmm { CompareMethod::Gtv } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_belong_to_their_methods() {
        for (k, method) in CompareMethod::ALL.into_iter().enumerate() {
            assert_eq!(method as usize, k);
            let plain = |s: &str| s.to_lowercase().replace('-', "");
            assert_eq!(plain(method.name()), plain(&format!("{method:?}")));
        }
    }
}
