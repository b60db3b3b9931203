//! A plugin of qemu: for every section of the program between two markers, prints a line with the
//! number of instructions that ran there; with the argument `trace=on`, the instructions
//! themselves, as they are encoded, in hexadecimal.
//!
//! The program prints a section's name before; both write to the same standard output, line by
//! line, so names and figures alternate. Written for qemu 7 and 8, whose interface is version 1.

mod marker;

use marker::{BEGIN, END};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt::Write;
use std::ptr::without_provenance_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Of `qemu-plugin.h`, what is needed; `Block` and `Instruction` are qemu's own.
type Id = u64;
type Block = c_void;
type Instruction = c_void;
type Translated = extern "C" fn(Id, *mut Block);
type Executed = extern "C" fn(c_uint, *mut c_void);

/// The callback does not ask for registers.
const NO_REGISTERS: c_int = 0;

unsafe extern "C" {
    fn qemu_plugin_register_vcpu_tb_trans_cb(id: Id, call: Translated);
    fn qemu_plugin_tb_n_insns(block: *const Block) -> usize;
    fn qemu_plugin_tb_get_insn(block: *const Block, index: usize) -> *mut Instruction;
    fn qemu_plugin_insn_data(instruction: *const Instruction) -> *const c_void;
    fn qemu_plugin_register_vcpu_insn_exec_cb(
        instruction: *mut Instruction,
        call: Executed,
        registers: c_int,
        data: *mut c_void,
    );
}

/// The version of the interface: qemu reads it before anything else.
#[unsafe(no_mangle)]
pub static qemu_plugin_version: c_int = 1;

static TRACE: AtomicBool = AtomicBool::new(false);

/// What has run since the begin marker; none outside a section.
static SECTION: Mutex<Option<Vec<u32>>> = Mutex::new(None);

/// Qemu calls it once.
///
/// # Safety
/// `arguments` holds `count` strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qemu_plugin_install(
    id: Id,
    _target: *const c_void,
    count: c_int,
    arguments: *const *const c_char,
) -> c_int {
    for index in 0..count as usize {
        // SAFETY: below `count`.
        let argument = unsafe { *arguments.add(index) };
        // SAFETY: the caller's promise.
        match unsafe { CStr::from_ptr(argument) }.to_bytes() {
            b"trace=on" => TRACE.store(true, Ordering::Relaxed),
            _ => return 1,
        }
    }
    // SAFETY: the id is ours.
    unsafe { qemu_plugin_register_vcpu_tb_trans_cb(id, translated) };
    0
}

/// A block of the program was translated: asks for a call before each instruction of it.
extern "C" fn translated(_: Id, block: *mut Block) {
    // SAFETY: qemu's block, during the call.
    for index in 0..unsafe { qemu_plugin_tb_n_insns(block) } {
        // SAFETY: as above, and the index is below the number.
        let instruction = unsafe { qemu_plugin_tb_get_insn(block, index) };
        // SAFETY: qemu's instruction, during the call.
        let data = unsafe { qemu_plugin_insn_data(instruction) };
        // SAFETY: an instruction has four bytes.
        let code = unsafe { data.cast::<u32>().read_unaligned() };
        let data = without_provenance_mut(u32::from_le(code) as usize);
        // SAFETY: `executed` follows no pointer: its data is the code.
        unsafe {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, executed, NO_REGISTERS, data)
        };
    }
}

extern "C" fn executed(_: c_uint, data: *mut c_void) {
    let mut section = SECTION.lock().expect("no panic comes back");
    match (data.addr() as u32, &mut *section) {
        (BEGIN, section) => *section = Some(Vec::new()),
        (END, section) => print(&section.take().unwrap_or_default()),
        (code, Some(ran)) => ran.push(code),
        _ => {}
    }
}

fn print(ran: &[u32]) {
    if !TRACE.load(Ordering::Relaxed) {
        println!("{}", ran.len());
        return;
    }
    let mut line = String::with_capacity(ran.len() * 9);
    for code in ran {
        write!(line, "{code:08x} ").expect("a string takes all");
    }
    println!("{}", line.trim_end());
}
