//! Whether a folder proves who its owner is: the certificates are the authority's and valid now,
//! and the keys belong to them. Tried, not only looked at: a text is signed, and the signature
//! checked as others would.

use std::fs;
use std::path::Path;

use time::OffsetDateTime;
use x509_parser::prelude::{FromDer, X509Certificate, parse_x509_pem};

use crate::authority::{self, CA_CERTIFICATE, CA_KEY, CERTIFICATE, Identity, KEY};
use crate::credentials::{Credentials, NoProof};
use crate::error::Error;

/// What is signed to try a key.
const TEXT: &[u8] = b"netfed tries a key";

/// Checks the folder of a member, a router or the observer; gives what its certificate says. An
/// expired one is told by its days.
pub fn check(folder: &Path) -> Result<Identity, Error> {
    check_authority(folder)?;
    let identity = authority::identity(folder)?;
    for (name, label) in [(CERTIFICATE, "CERTIFICATE"), (KEY, "PRIVATE KEY")] {
        check_label(&folder.join(name), label)?;
    }
    if identity.days_left < 0 {
        return Ok(identity);
    }
    let credentials = Credentials::read(folder)?;
    let certificate = folder.join(CERTIFICATE);
    let plain = with_certificate(&certificate, is_plain)?;
    plain.then_some(()).ok_or_else(|| damaged(&certificate))?;
    let wrong = |path: &Path, what: &str| Error::Invalid(format!("{}: {what}.", path.display()));
    let signature = (credentials.sign(TEXT))
        .ok_or_else(|| wrong(&folder.join(KEY), "the key does not sign"))?;
    match credentials.check(&identity.name, credentials.certificate(), TEXT, &signature) {
        Ok(_) => Ok(identity),
        Err(NoProof::Signature) => {
            let key = folder.join(KEY);
            Err(wrong(&key, &format!("the key does not belong to {}", certificate.display())))
        }
        Err(reason) => Err(wrong(&certificate, &reason.to_string())),
    }
}

/// Checks that the key of the authority in the organizer's folder belongs to its certificate.
pub fn check_organizer(folder: &Path) -> Result<(), Error> {
    check_authority(folder)?;
    let path = folder.join(CA_KEY);
    check_label(&path, "PRIVATE KEY")?;
    let key = authority::ca_key(folder)?;
    let certificate = folder.join(CA_CERTIFICATE);
    let own =
        with_certificate(&certificate, |_, ca| ca.public_key().subject_public_key.data.to_vec())?;
    if key.public_key_raw() == own.as_slice() {
        Ok(())
    } else {
        Err(Error::Invalid(format!(
            "{}: the key does not belong to {}.",
            path.display(),
            certificate.display()
        )))
    }
}

/// The certificate of the authority is whole, one of an authority, and valid now.
fn check_authority(folder: &Path) -> Result<(), Error> {
    let path = folder.join(CA_CERTIFICATE);
    check_label(&path, "CERTIFICATE")?;
    let wrong = with_certificate(&path, |der, ca| {
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let same_name = ca.subject() == ca.issuer();
        if ca.verify_signature(None).is_err() || !is_plain(der, ca) || !same_name {
            Some("the certificate is damaged")
        } else if !ca.is_ca() {
            Some("it is not the certificate of an authority")
        } else if ca.validity().not_after.timestamp() < now {
            Some(
                "the certificate of the authority has expired; the organizer makes a new federation",
            )
        } else if ca.validity().not_before.timestamp() > now {
            Some("the certificate of the authority is not valid yet; is the clock right?")
        } else {
            None
        }
    })?;
    wrong.map_or(Ok(()), |what| Err(Error::Invalid(format!("{}: {what}.", path.display()))))
}

/// ECDSA with SHA-256, as it stands in certificates between what is signed and the signature.
const ALGORITHM: [u8; 12] = [0x30, 10, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2];

/// The part of a certificate that is not under its signature is as it must be.
fn is_plain(der: &[u8], certificate: &X509Certificate<'_>) -> bool {
    let signed: &[u8] = certificate.tbs_certificate.as_ref();
    let rest = der.get(4..).and_then(|inner| inner.strip_prefix(signed));
    let signature = rest.and_then(|rest| rest.strip_prefix(&ALGORITHM));
    // A string of bits, none of which is left over.
    signature.is_some_and(
        |bits| matches!(bits, [3, length, 0, ..] if usize::from(*length) + 2 == bits.len()),
    )
}

fn damaged(path: &Path) -> Error {
    Error::Invalid(format!("{}: the certificate is damaged.", path.display()))
}

fn with_certificate<T>(
    path: &Path,
    f: impl FnOnce(&[u8], &X509Certificate<'_>) -> T,
) -> Result<T, Error> {
    let text = fs::read(path).map_err(Error::file(path, "read"))?;
    let (_, pem) = parse_x509_pem(&text).map_err(|_| damaged(path))?;
    match X509Certificate::from_der(&pem.contents) {
        Ok(([], certificate)) => Ok(f(&pem.contents, &certificate)),
        _ => Err(damaged(path)),
    }
}

/// One block between these lines, of lines of base64: what the engine reads, and nothing that it
/// could read otherwise.
fn check_label(path: &Path, label: &str) -> Result<(), Error> {
    let text = fs::read_to_string(path).map_err(Error::file(path, "read"))?;
    let edges = ["BEGIN", "END"].map(|edge| format!("-----{edge} {label}-----"));
    let base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let is_content = |line: &str| line.len() <= 64 && line.chars().all(base64);
    let mut lines = text.lines();
    let whole = lines.next() == Some(edges[0].as_str())
        && lines.by_ref().find(|line| !is_content(line)) == Some(edges[1].as_str())
        && lines.all(str::is_empty);
    if whole {
        Ok(())
    } else {
        Err(Error::Invalid(format!(
            "{}: expected one block from BEGIN {label} to END {label}.",
            path.display()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::DESCRIPTION;

    /// Folders of an organizer and of a member.
    fn folders() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(DESCRIPTION), "a description").unwrap();
        authority::create(folder.path(), "t", 30).unwrap();
        authority::sign(folder.path()).unwrap();
        let own = folder.path().join("own");
        authority::invite(folder.path(), &own, "t", "a", Some("127.0.0.1"), 30).unwrap();
        (folder, own)
    }

    /// Every second byte of every file is changed in two ways: what passes has the same content as
    /// before.
    #[test]
    fn damage_is_found() {
        let (_folder, own) = folders();
        assert_eq!(check(&own).unwrap().name, "a");
        for (name, least) in [(KEY, 200), (CERTIFICATE, 500), (CA_CERTIFICATE, 500)] {
            let path = own.join(name);
            let whole = fs::read(&path).unwrap();
            let content = |bytes: &[u8]| parse_x509_pem(bytes).map(|(_, pem)| pem.contents).ok();
            let mut refused = 0;
            for at in (0..whole.len()).step_by(2) {
                for byte in [whole[at] ^ 1, b'A'] {
                    let mut bytes = whole.clone();
                    bytes[at] = byte;
                    fs::write(&path, &bytes).unwrap();
                    match check(&own) {
                        Err(_) => refused += 1,
                        Ok(_) => assert_eq!(content(&bytes), content(&whole), "{name}, byte {at}"),
                    }
                }
            }
            assert!(refused > least, "{name}: {refused} of {}", whole.len());
            fs::write(&path, whole).unwrap();
        }
    }

    #[test]
    fn keys_belong_to_their_certificates() {
        let (folder, own) = folders();
        check_organizer(folder.path()).unwrap();
        let other = folder.path().join("other");
        authority::invite(folder.path(), &other, "t", "a", None, 30).unwrap();
        fs::copy(other.join(KEY), own.join(KEY)).unwrap();
        let error = check(&own).unwrap_err().to_string();
        assert!(error.contains("member.key: the key does not belong to"), "{error}");
        fs::copy(other.join(KEY), folder.path().join(CA_KEY)).unwrap();
        let error = check_organizer(folder.path()).unwrap_err().to_string();
        assert!(error.contains("ca.key: the key does not belong to"), "{error}");
        let (stranger, theirs) = folders();
        fs::copy(theirs.join(CERTIFICATE), other.join(CERTIFICATE)).unwrap();
        assert!(check(&other).unwrap_err().to_string().contains("not signed by this federation"));
        drop(stranger);
    }
}
