//! Texts that the authority has signed: the description, and the list of revoked certificates.
//! Beside `NAME.toml` lies `NAME.sig`, the signature (ECDSA, P-256) in hexadecimal.

use std::fs;
use std::path::{Path, PathBuf};

use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, UnparsedPublicKey,
};

use crate::authority;
use crate::error::Error;

/// A text and its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// The text, as it was signed.
    pub text: String,
    /// The signature.
    pub signature: Vec<u8>,
}

/// The file of the signature that belongs to a file.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("sig")
}

impl Signed {
    /// Signs a text with the key in the organizer's folder.
    pub fn new(organizer: &Path, text: String) -> Result<Signed, Error> {
        let random = SystemRandom::new();
        let key = authority::ca_key(organizer)?.serialize_der();
        let invalid = |e: &dyn std::fmt::Display| Error::Invalid(e.to_string());
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &key, &random)
            .map_err(|e| invalid(&e))?;
        let signature = key.sign(&random, text.as_bytes()).map_err(|e| invalid(&e))?;
        Ok(Signed { text, signature: signature.as_ref().to_vec() })
    }

    /// Reads a text and its signature; whether they fit is another question.
    pub fn read(path: &Path) -> Result<Signed, Error> {
        let text = fs::read_to_string(path).map_err(Error::file(path, "read"))?;
        let path = beside(path);
        let hex = fs::read_to_string(&path).map_err(Error::file(&path, "read"))?;
        let broken = || Error::Invalid(format!("{}: not a signature.", path.display()));
        Ok(Signed { text, signature: unhex(hex.trim()).ok_or_else(broken)? })
    }

    /// Writes both files, each as a whole. Whoever reads between the two sees a signature that does
    /// not fit, and reads again later.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        replace(path, self.text.as_bytes(), false)?;
        replace(&beside(path), (hex(&self.signature) + "\n").as_bytes(), false)
    }

    /// Whether the holder of this public key has signed.
    pub fn is_by(&self, key: &[u8]) -> bool {
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, key);
        key.verify(self.text.as_bytes(), &self.signature).is_ok()
    }
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// And back.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    text.as_bytes().chunks(2).map(byte).collect()
}

/// Writes a file whole or not at all, in the place of one that may be there; a secret one only its
/// owner can read.
pub(crate) fn replace(path: &Path, bytes: &[u8], secret: bool) -> Result<(), Error> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    // What is left of an attempt that was cut short may be readable by others.
    match fs::remove_file(&new) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::file(&new, "replace")(e));
        }
        _ => {}
    }
    authority::write_file(&new, bytes, secret)?;
    fs::rename(&new, path).map_err(Error::file(path, "write"))
}
