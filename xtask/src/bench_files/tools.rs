//! The tools, and what each is told. Words of a line are separated by spaces; `{in}`, `{out}` and
//! `{key}` stand for names.

pub(super) struct Tool {
    pub(super) name: &'static str,
    /// Makes its keys.
    pub(super) setup: &'static [&'static str],
    pub(super) seal: &'static str,
    pub(super) open: &'static str,
    /// With ASCII armor.
    pub(super) armor: Option<&'static str>,
    pub(super) many_keys: Option<ManyKeys>,
    pub(super) many_files: Option<ManyFiles>,
}

/// A file to a thousand recipients, to be opened by the last.
pub(super) struct ManyKeys {
    /// Makes a key `{out}`.
    pub(super) keygen: &'static str,
    pub(super) recipients: Recipients,
    pub(super) open: &'static str,
}

/// How recipients are named.
pub(super) enum Recipients {
    /// The public key of each is a file: `-r KEY.pub`.
    Files,
    /// Each key says in a comment what its public half is, and `-R FILE` has them all.
    Comments,
}

/// A thousand files, which follow the line.
pub(super) struct ManyFiles {
    pub(super) line: &'static str,
    /// Where that of file `many/N` goes: before and after N.
    pub(super) output: (&'static str, &'static str),
}

const NONE: Tool = Tool {
    name: "",
    setup: &[],
    seal: "",
    open: "",
    armor: None,
    many_keys: None,
    many_files: None,
};

/// pqbox's own program is the one that was just built; the others are looked for on the path.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "pqbox",
        setup: &["pqbox keygen"],
        seal: "pqbox seal --no-sync {in} -o {out}",
        open: "pqbox open --no-sync {in} -o {out}",
        armor: Some("pqbox seal --no-sync --armor {in} -o {out}"),
        many_keys: Some(ManyKeys {
            keygen: "pqbox keygen -o {out}",
            recipients: Recipients::Files,
            open: "pqbox open --no-sync -i {key} {in} -o {out}",
        }),
        many_files: Some(ManyFiles {
            line: "pqbox seal --no-sync",
            output: ("many/", ".pqbox"),
        }),
    },
    Tool {
        name: "pqbox --sync",
        seal: "pqbox seal --sync {in} -o {out}",
        open: "pqbox open --sync {in} -o {out}",
        many_files: Some(ManyFiles {
            line: "pqbox seal --sync",
            output: ("many/", ".pqbox"),
        }),
        ..NONE
    },
    Tool {
        name: "cp",
        setup: &["cp --version"],
        seal: "cp {in} {out}",
        open: "cp {in} {out}",
        many_files: Some(ManyFiles {
            line: "cp -t copies",
            output: ("copies/", ""),
        }),
        ..NONE
    },
    Tool {
        name: "true",
        setup: &["true"],
        seal: "true",
        open: "true",
        ..NONE
    },
    Tool {
        name: "rage",
        setup: &["rage-keygen -o rage.key"],
        seal: "rage -e -i rage.key -o {out} {in}",
        open: "rage -d -i rage.key -o {out} {in}",
        armor: Some("rage -e -a -i rage.key -o {out} {in}"),
        many_keys: Some(ManyKeys {
            keygen: "rage-keygen -o {out}",
            recipients: Recipients::Comments,
            open: "rage -d -i {key} -o {out} {in}",
        }),
        ..NONE
    },
    Tool {
        name: "age",
        setup: &["age-keygen -o age.key"],
        seal: "age -e -i age.key -o {out} {in}",
        open: "age -d -i age.key -o {out} {in}",
        armor: Some("age -e -a -i age.key -o {out} {in}"),
        many_keys: Some(ManyKeys {
            keygen: "age-keygen -o {out}",
            recipients: Recipients::Comments,
            open: "age -d -i {key} -o {out} {in}",
        }),
        ..NONE
    },
    Tool {
        name: "gpg",
        setup: &["gpg --batch --quiet --passphrase= --quick-gen-key bench default default never"],
        seal: "gpg --batch --trust-model always -z 0 -r bench -o {out} -e {in}",
        open: "gpg --batch --trust-model always -o {out} -d {in}",
        ..NONE
    },
    Tool {
        name: "openssl",
        setup: &[
            "openssl req -x509 -newkey rsa:3072 -nodes -subj /CN=bench -keyout key.pem -out cert.pem",
        ],
        seal: "openssl cms -encrypt -stream -binary -aes-256-gcm -outform DER -in {in} -out {out} cert.pem",
        open: "openssl cms -decrypt -binary -inform DER -inkey key.pem -in {in} -out {out}",
        ..NONE
    },
    // It takes no output that is a bare name.
    Tool {
        name: "pqfile",
        setup: &["pqfile keygen --no-config --out ."],
        seal: "pqfile encrypt --no-config -r pubkey.pem -o ./{out} {in}",
        open: "pqfile decrypt --no-config -k privkey.pem -o ./{out} {in}",
        ..NONE
    },
];
