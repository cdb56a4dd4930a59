//! The federation's own certificate authority, and the signature under its description.
//!
//! One key pair (ECDSA, P-256) belongs to the organizer. It signs the description and one certificate per member; a member trusts nothing
//! else. Keys are files that only their owner can read.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, UnparsedPublicKey,
};
use time::{Duration, OffsetDateTime};
use x509_parser::prelude::{FromDer, X509Certificate, parse_x509_pem};

use crate::description::DESCRIPTION;
use crate::error::Error;

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

fn invalid(what: impl std::fmt::Display) -> Error {
    Error::Invalid(what.to_string())
}

/// Writes a file that only its owner can read.
pub fn write_secret(path: &Path, text: &str) -> Result<(), Error> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(Error::file(path, "write"))?;
    file.write_all(text.as_bytes()).map_err(Error::file(path, "write"))
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
    write_secret(&folder.join(CA_KEY), &key.serialize_pem())?;
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
    let text = read(&folder.join(DESCRIPTION))?;
    let random = SystemRandom::new();
    let key = EcdsaKeyPair::from_pkcs8(
        &ECDSA_P256_SHA256_ASN1_SIGNING,
        &ca_key(folder)?.serialize_der(),
        &random,
    )
    .map_err(invalid)?;
    let signature = key.sign(&random, text.as_bytes()).map_err(invalid)?;
    let hex: String = signature.as_ref().iter().map(|b| format!("{b:02x}")).collect();
    let path = folder.join(SIGNATURE);
    fs::write(&path, hex + "\n").map_err(Error::file(&path, "write"))
}

/// Checks that the description in a folder was signed by the authority whose certificate lies beside it.
pub fn check_signature(folder: &Path) -> Result<(), Error> {
    let text = read(&folder.join(DESCRIPTION))?;
    let path = folder.join(SIGNATURE);
    let hex = read(&path)?;
    let digits = hex.trim().as_bytes().chunks(2);
    let bytes: Option<Vec<u8>> = digits
        .map(|pair| std::str::from_utf8(pair).ok().and_then(|p| u8::from_str_radix(p, 16).ok()))
        .collect();
    let bytes = bytes.ok_or_else(|| invalid(format!("{}: not a signature.", path.display())))?;
    let pem = read(&folder.join(CA_CERTIFICATE))?;
    let key = with_certificate(&folder.join(CA_CERTIFICATE), &pem, |c| {
        c.public_key().subject_public_key.data.to_vec()
    })?;
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, key).verify(text.as_bytes(), &bytes).map_err(
        |_| {
            invalid(format!(
                "{}: the signature does not fit; the description was changed after it was signed, or is of another federation.",
                folder.join(DESCRIPTION).display()
            ))
        },
    )
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

/// Makes a folder for a member: description, signature, certificate of the authority, own certificate and key. `host` is the name or
/// address that others connect to, if they do. The same for a router.
pub fn invite(
    organizer: &Path,
    folder: &Path,
    federation: &str,
    member: &str,
    host: Option<&str>,
    days: i64,
) -> Result<(), Error> {
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
    let key = KeyPair::generate().map_err(invalid)?;
    let certificate = params.signed_by(&key, &issuer).map_err(invalid)?;
    fs::create_dir_all(folder).map_err(Error::file(folder, "make the folder"))?;
    for name in [DESCRIPTION, SIGNATURE, CA_CERTIFICATE] {
        let (from, to) = (organizer.join(name), folder.join(name));
        fs::copy(&from, &to).map_err(Error::file(&from, "copy"))?;
    }
    write_secret(&folder.join(KEY), &key.serialize_pem())?;
    let path = folder.join(CERTIFICATE);
    fs::write(&path, certificate.pem()).map_err(Error::file(&path, "write"))
}

/// What a member's certificate says.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// The member.
    pub name: String,
    /// Days that it is still valid; negative when it has expired.
    pub days_left: i64,
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
        Identity { name, days_left: left.div_euclid(86_400) }
    })
}
