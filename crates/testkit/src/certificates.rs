//! A certificate authority of our own, and what it signs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer, DnType,
    ExtendedKeyUsagePurpose, IsCa, KeyIdMethod, KeyPair, KeyUsagePurpose, RevokedCertParams, SerialNumber,
    date_time_ymd,
};

use crate::Result;

/// The serial number of the server's certificate.
const SERVER_NUMBER: u64 = 4711;

/// The files of a TLS server and its clients.
#[derive(Clone, Debug)]
pub struct Certificates {
    folder: PathBuf,
}

impl Certificates {
    /// Makes them in `folder`; `client` is the role that the client's certificate is made out to.
    pub fn make(folder: &Path, client: &str) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let certificates = Certificates { folder: folder.to_owned() };
        let authority = authority("Bowshot test authority")?;
        certificates.write("root.crt", &authority.pem())?;
        certificates.write("other_root.crt", &self::authority("Some other authority")?.pem())?;

        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        certificates.sign("server", "localhost", names, ExtendedKeyUsagePurpose::ServerAuth, &authority)?;
        // Its only name is where names stood before there was a subjectAltName.
        certificates.sign("nameless", "localhost", Vec::new(), ExtendedKeyUsagePurpose::ServerAuth, &authority)?;
        certificates.sign("client", client, Vec::new(), ExtendedKeyUsagePurpose::ClientAuth, &authority)?;
        certificates.revoke("revoked", &[SERVER_NUMBER], &authority)?;
        certificates.revoke("nothing_revoked", &[], &authority)?;
        Ok(certificates)
    }

    /// A list of the revoked certificates' numbers.
    fn revoke(&self, file: &str, numbers: &[u64], authority: &CertifiedIssuer<'_, KeyPair>) -> Result<()> {
        let revoked = |number: &u64| RevokedCertParams {
            serial_number: SerialNumber::from(*number),
            revocation_time: date_time_ymd(2024, 1, 1),
            reason_code: None,
            invalidity_date: None,
        };
        let list = CertificateRevocationListParams {
            this_update: date_time_ymd(2024, 1, 1),
            next_update: date_time_ymd(2100, 1, 1),
            crl_number: SerialNumber::from(1_u64),
            issuing_distribution_point: None,
            revoked_certs: numbers.iter().map(revoked).collect(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        self.write(&format!("{file}.crl"), &list.signed_by(authority)?.pem()?)
    }

    fn sign(
        &self,
        file: &str,
        subject: &str,
        names: Vec<String>,
        purpose: ExtendedKeyUsagePurpose,
        authority: &CertifiedIssuer<'_, KeyPair>,
    ) -> Result<()> {
        let key = KeyPair::generate()?;
        let mut parameters = CertificateParams::new(names)?;
        parameters.distinguished_name.push(DnType::CommonName, subject);
        parameters.extended_key_usages = vec![purpose];
        if file == "server" {
            parameters.serial_number = Some(SerialNumber::from(SERVER_NUMBER));
        }
        parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        self.write(&format!("{file}.crt"), &parameters.signed_by(&key, authority)?.pem())?;
        self.write(&format!("{file}.key"), &key.serialize_pem())
    }

    /// Writes a file that only its owner may read, as servers and clients demand of keys.
    fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.folder.join(name);
        fs::write(&path, text)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        Ok(())
    }

    /// The authority that signed the server's certificate.
    pub fn root(&self) -> PathBuf {
        self.folder.join("root.crt")
    }

    /// An authority that signed nothing.
    pub fn other_root(&self) -> PathBuf {
        self.folder.join("other_root.crt")
    }

    /// A certificate for the superuser's role.
    pub fn client(&self) -> PathBuf {
        self.folder.join("client.crt")
    }

    /// The key of [`Certificates::client`].
    pub fn client_key(&self) -> PathBuf {
        self.folder.join("client.key")
    }

    /// The server's certificate, for `localhost` and `127.0.0.1`.
    pub fn server(&self) -> PathBuf {
        self.folder.join("server.crt")
    }

    /// The key of [`Certificates::server`].
    pub fn server_key(&self) -> PathBuf {
        self.folder.join("server.key")
    }

    /// A list on which the server's certificate stands.
    pub fn revoked(&self) -> PathBuf {
        self.folder.join("revoked.crl")
    }

    /// A list on which no certificate stands.
    pub fn nothing_revoked(&self) -> PathBuf {
        self.folder.join("nothing_revoked.crl")
    }

    /// A certificate for a server that has `localhost` as its common name and no subjectAltName.
    pub fn nameless(&self) -> PathBuf {
        self.folder.join("nameless.crt")
    }

    /// The key of [`Certificates::nameless`].
    pub fn nameless_key(&self) -> PathBuf {
        self.folder.join("nameless.key")
    }
}

fn authority(name: &str) -> Result<CertifiedIssuer<'static, KeyPair>> {
    let mut parameters = CertificateParams::new(Vec::new())?;
    parameters.distinguished_name.push(DnType::CommonName, name);
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    Ok(CertifiedIssuer::self_signed(parameters, KeyPair::generate()?)?)
}
