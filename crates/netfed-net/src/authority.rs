//! The federation's own certificate authority, and the signature under its description.
//!
//! One key pair (ECDSA, P-256) belongs to the organizer. It signs the description, the list of
//! revoked certificates and one certificate per member; a member trusts nothing else. Certificates
//! are numbered one after the other. Keys are files that only their owner can read.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SerialNumber,
};
use time::{Duration, OffsetDateTime};
use x509_parser::prelude::{FromDer, X509Certificate, parse_x509_pem};

use crate::description::DESCRIPTION;
use crate::error::Error;
use crate::revoked::{REVOKED, Revoked, revoke};
use crate::signed::{Signed, replace};

/// Certificate of the authority.
pub const CA_CERTIFICATE: &str = "ca.crt";
/// Key of the authority; it never leaves the organizer.
pub const CA_KEY: &str = "ca.key";
/// Signature of the description.
pub const SIGNATURE: &str = "federation.sig";
/// Certificate of a member, in its own folder.
pub const CERTIFICATE: &str = "member.crt";
/// Key of a member, in its own folder.
pub const KEY: &str = "member.key";
/// The number of the last certificate, in the organizer's folder.
pub const SERIAL: &str = "serial";

fn invalid(what: impl std::fmt::Display) -> Error {
    Error::Invalid(what.to_string())
}

/// Writes a new file; a secret one only its owner can read.
pub(crate) fn write_file(path: &Path, bytes: &[u8], secret: bool) -> Result<(), Error> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if secret { 0o600 } else { 0o666 });
    #[cfg(not(unix))]
    let _ = secret;
    let mut file = options.open(path).map_err(Error::file(path, "write"))?;
    file.write_all(bytes).map_err(Error::file(path, "write"))
}

/// Whether others than the owner can read a file.
pub fn is_exposed(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).is_ok_and(|m| m.permissions().mode() & 0o077 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

fn params(name: &str, days: i64) -> Result<CertificateParams, Error> {
    let mut params = CertificateParams::new(Vec::new()).map_err(invalid)?;
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    // Clocks differ a little.
    params.not_before = OffsetDateTime::now_utc() - Duration::days(1);
    params.not_after = OffsetDateTime::now_utc() + Duration::days(days);
    Ok(params)
}

fn ca_params(federation: &str, days: i64) -> Result<CertificateParams, Error> {
    let mut params = params(&format!("{federation} (netfed federation)"), days)?;
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    Ok(params)
}

/// Makes the authority of a federation in the organizer's folder.
pub fn create(folder: &Path, federation: &str, days: i64) -> Result<(), Error> {
    let key = KeyPair::generate().map_err(invalid)?;
    let certificate = ca_params(federation, days)?.self_signed(&key).map_err(invalid)?;
    write_file(&folder.join(CA_KEY), key.serialize_pem().as_bytes(), true)?;
    let path = folder.join(CA_CERTIFICATE);
    fs::write(&path, certificate.pem()).map_err(Error::file(&path, "write"))
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(Error::file(path, "read"))
}

pub(crate) fn ca_key(folder: &Path) -> Result<KeyPair, Error> {
    let path = folder.join(CA_KEY);
    KeyPair::from_pem(&read(&path)?)
        .map_err(|e| invalid(format!("{}: not a private key: {e}", path.display())))
}

/// Signs the description in the organizer's folder.
pub fn sign(folder: &Path) -> Result<(), Error> {
    let path = folder.join(DESCRIPTION);
    Signed::new(folder, read(&path)?)?.write(&path)
}

/// The public key of the authority whose certificate lies in a folder.
pub(crate) fn public_key(folder: &Path) -> Result<Vec<u8>, Error> {
    let path = folder.join(CA_CERTIFICATE);
    with_certificate(&path, &read(&path)?, |c| c.public_key().subject_public_key.data.to_vec())
}

/// Checks that the description in a folder was signed by the authority whose certificate lies
/// beside it.
pub fn check_signature(folder: &Path) -> Result<(), Error> {
    let path = folder.join(DESCRIPTION);
    if Signed::read(&path)?.is_by(&public_key(folder)?) {
        Ok(())
    } else {
        Err(invalid(format!(
            "{}: the signature does not fit; the description was changed after it was signed, or is of another federation.",
            path.display()
        )))
    }
}

fn with_certificate<T>(
    path: &Path,
    pem: &str,
    f: impl FnOnce(&X509Certificate<'_>) -> T,
) -> Result<T, Error> {
    let broken = || invalid(format!("{}: not a certificate.", path.display()));
    let (_, pem) = parse_x509_pem(pem.as_bytes()).map_err(|_| broken())?;
    let (_, certificate) = X509Certificate::from_der(&pem.contents).map_err(|_| broken())?;
    Ok(f(&certificate))
}

/// The number of the last certificate that was made; 0 where there was none.
pub fn last_serial(organizer: &Path) -> Result<u64, Error> {
    let path = organizer.join(SERIAL);
    let counted = match fs::read_to_string(&path) {
        Ok(text) => text.trim().parse().map_err(|_| {
            invalid(format!(
                "{}: expected the number of the last certificate; write one into it that no certificate has reached, such as 1000000.",
                path.display()
            ))
        })?,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => 0,
        Err(e) => return Err(Error::file(&path, "read")(e)),
    };
    // A number that was revoked is never given again, whatever became of the file.
    Ok(counted.max(Revoked::read(organizer)?.0.first_free().saturating_sub(1)))
}

/// A certificate and its key, of which nothing is on a disk yet.
struct Issued {
    certificate: String,
    key: String,
    serial: u64,
}

fn issue(
    organizer: &Path,
    federation: &str,
    member: &str,
    host: Option<&str>,
    days: i64,
) -> Result<Issued, Error> {
    let issuer_params = ca_params(federation, 1)?;
    let issuer = Issuer::new(issuer_params, ca_key(organizer)?);
    let mut params = params(member, days)?;
    if let Some(host) = host.map(|h| h.trim_start_matches('[').trim_end_matches(']')) {
        params.subject_alt_names = CertificateParams::new(vec![host.to_owned()])
            .map_err(|e| invalid(format!("the host {host} cannot stand in a certificate: {e}")))?
            .subject_alt_names;
    }
    params.use_authority_key_identifier_extension = true;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages =
        vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    let serial = last_serial(organizer)? + 1;
    params.serial_number = Some(SerialNumber::from(serial));
    let key = KeyPair::generate().map_err(invalid)?;
    let certificate = params.signed_by(&key, &issuer).map_err(invalid)?.pem();
    replace(&organizer.join(SERIAL), format!("{serial}\n").as_bytes(), false)?;
    Ok(Issued { certificate, key: key.serialize_pem(), serial })
}

/// Copies what everyone has, beside the own certificate and key, from the organizer's folder to
/// that of a member.
pub fn hand_out(organizer: &Path, folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(Error::file(folder, "make the folder"))?;
    let list = Path::new(REVOKED).with_extension("sig");
    for name in [Path::new(DESCRIPTION), SIGNATURE.as_ref(), CA_CERTIFICATE.as_ref()]
        .into_iter()
        .chain([Path::new(REVOKED), &list].into_iter().filter(|name| organizer.join(name).exists()))
    {
        let (from, to) = (organizer.join(name), folder.join(name));
        fs::copy(&from, &to).map_err(Error::file(&from, "copy"))?;
    }
    Ok(())
}

/// Makes a folder for a member: description, signature, list of revoked certificates, certificate
/// of the authority, own certificate and key. `host` is the name or address that others connect to,
/// if they do. The same for a router.
pub fn invite(
    organizer: &Path,
    folder: &Path,
    federation: &str,
    member: &str,
    host: Option<&str>,
    days: i64,
) -> Result<(), Error> {
    let issued = issue(organizer, federation, member, host, days)?;
    hand_out(organizer, folder)?;
    write_file(&folder.join(KEY), issued.key.as_bytes(), true)?;
    let path = folder.join(CERTIFICATE);
    fs::write(&path, issued.certificate).map_err(Error::file(&path, "write"))
}

/// Makes a new certificate and key for a member, in the place of those that may lie in the folder,
/// and revokes all that it had before.
pub fn renew(
    organizer: &Path,
    folder: &Path,
    federation: &str,
    member: &str,
    host: Option<&str>,
    days: i64,
) -> Result<Revoked, Error> {
    let issued = issue(organizer, federation, member, host, days)?;
    let list = revoke(organizer, member, issued.serial)?;
    hand_out(organizer, folder)?;
    replace(&folder.join(KEY), issued.key.as_bytes(), true)?;
    replace(&folder.join(CERTIFICATE), issued.certificate.as_bytes(), false)?;
    Ok(list)
}

/// The number of a certificate. Those of times when certificates were not counted have long random
/// ones, and come before all others.
pub(crate) fn serial(certificate: &X509Certificate<'_>) -> u64 {
    let bytes = certificate.raw_serial();
    let zeros = bytes.iter().take_while(|b| **b == 0).count();
    let digits = &bytes[zeros..];
    match digits.len() {
        0..=8 => digits.iter().fold(0, |n, b| n << 8 | u64::from(*b)),
        _ => 0,
    }
}

/// What a member's certificate says.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// The member.
    pub name: String,
    /// Days that it is still valid; negative when it has expired.
    pub days_left: i64,
    /// Its number.
    pub serial: u64,
}

/// Reads a member's certificate and checks that the federation's authority has signed it.
pub fn identity(folder: &Path) -> Result<Identity, Error> {
    let (ca, own) = (folder.join(CA_CERTIFICATE), folder.join(CERTIFICATE));
    let (ca_pem, own_pem) = (read(&ca)?, read(&own)?);
    let signed = with_certificate(&ca, &ca_pem, |ca| {
        with_certificate(&own, &own_pem, |own| {
            own.verify_signature(Some(ca.public_key())).map_err(|_| {
                let path = folder.join(CERTIFICATE);
                invalid(format!("{}: not signed by this federation.", path.display()))
            })
        })
    })??;
    signed?;
    with_certificate(&own, &own_pem, |own| {
        let names = own.subject().iter_common_name();
        let name = names.filter_map(|n| n.as_str().ok()).next().unwrap_or_default().to_owned();
        let left =
            own.validity().not_after.timestamp() - OffsetDateTime::now_utc().unix_timestamp();
        Identity { name, days_left: left.div_euclid(86_400), serial: serial(own) }
    })
}
