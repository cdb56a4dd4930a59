//! What a member proves itself with, and what it accepts as proof from others: a signature (ECDSA,
//! P-256) by the key of a certificate that the federation's authority has signed, that is valid now
//! and on no list of revoked ones, and that carries the member's name.

use std::fs;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use rcgen::KeyPair;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, UnparsedPublicKey,
};
use x509_parser::prelude::{FromDer, X509Certificate, parse_x509_pem};

use crate::authority::{CA_CERTIFICATE, CERTIFICATE, KEY, serial};
use crate::error::Error;
use crate::revoked::Revoked;

/// A member's certificate and key, the certificate of the authority, and what the authority has
/// revoked.
pub struct Credentials {
    key: EcdsaKeyPair,
    certificate: Vec<u8>,
    authority: Vec<u8>,
    revoked: RwLock<Revoked>,
}

/// A certificate that has proven itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof {
    /// Its number.
    pub serial: u64,
    /// When it ends, in seconds since 1970.
    pub expires: i64,
}

/// Why a proof is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoProof {
    /// The certificate is broken or of another authority.
    #[error("its certificate is not of this federation")]
    Certificate,
    /// The certificate is not valid now.
    #[error("its certificate has expired or is not valid yet")]
    Expired,
    /// The authority has taken the certificate back.
    #[error("its certificate has been revoked")]
    Revoked,
    /// The certificate is someone else's.
    #[error("its certificate carries another name")]
    Name,
    /// The signature is not by the key of the certificate, or about something else.
    #[error("its signature does not fit")]
    Signature,
}

impl Credentials {
    /// Reads them from a member's folder.
    pub fn read(folder: &Path) -> Result<Credentials, Error> {
        let path = folder.join(KEY);
        let text = fs::read_to_string(&path).map_err(Error::file(&path, "read"))?;
        let broken = || Error::Invalid(format!("{}: not a private key.", path.display()));
        let pkcs8 = KeyPair::from_pem(&text).map_err(|_| broken())?.serialize_der();
        let key =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &pkcs8, &SystemRandom::new())
                .map_err(|_| broken())?;
        let der = |name: &str| {
            let path = folder.join(name);
            let text = fs::read(&path).map_err(Error::file(&path, "read"))?;
            let pem = parse_x509_pem(&text).map(|(_, pem)| pem.contents);
            pem.map_err(|_| Error::Invalid(format!("{}: not a certificate.", path.display())))
        };
        let revoked = RwLock::new(Revoked::read(folder)?.0);
        Ok(Credentials {
            key,
            certificate: der(CERTIFICATE)?,
            authority: der(CA_CERTIFICATE)?,
            revoked,
        })
    }

    /// Whether a certificate of a member has been revoked.
    pub fn is_revoked(&self, name: &str, serial: u64) -> bool {
        self.revoked.read().unwrap_or_else(PoisonError::into_inner).contains(name, serial)
    }

    /// Takes a newer list of revoked certificates, whose signature has been checked; whether it is
    /// newer.
    pub fn take(&self, list: Revoked) -> bool {
        let mut revoked = self.revoked.write().unwrap_or_else(PoisonError::into_inner);
        let newer = list.version > revoked.version;
        if newer {
            *revoked = list;
        }
        newer
    }

    /// The own certificate, for others to check.
    pub fn certificate(&self) -> &[u8] {
        &self.certificate
    }

    /// Signs a text; none if there is no randomness.
    pub fn sign(&self, text: &[u8]) -> Option<Vec<u8>> {
        let signature = self.key.sign(&SystemRandom::new(), text).ok()?;
        Some(signature.as_ref().to_vec())
    }

    /// Checks that `name` has signed a text.
    pub fn check(
        &self,
        name: &str,
        certificate: &[u8],
        text: &[u8],
        signature: &[u8],
    ) -> Result<Proof, NoProof> {
        let parse = |der| match X509Certificate::from_der(der) {
            Ok(([], certificate)) => Ok(certificate),
            _ => Err(NoProof::Certificate),
        };
        let (authority, theirs) = (parse(&self.authority)?, parse(certificate)?);
        if theirs.is_ca() || theirs.verify_signature(Some(authority.public_key())).is_err() {
            return Err(NoProof::Certificate);
        }
        if !theirs.validity().is_valid() {
            return Err(NoProof::Expired);
        }
        let mut names = theirs.subject().iter_common_name().map(|n| n.as_str());
        let (Some(Ok(found)), None) = (names.next(), names.next()) else {
            return Err(NoProof::Name);
        };
        if found != name {
            return Err(NoProof::Name);
        }
        let key = theirs.public_key().subject_public_key.data.as_ref();
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, key)
            .verify(text, signature)
            .map_err(|_| NoProof::Signature)?;
        let serial = serial(&theirs);
        if self.is_revoked(name, serial) {
            return Err(NoProof::Revoked);
        }
        Ok(Proof { serial, expires: theirs.validity().not_after.timestamp() })
    }
}
