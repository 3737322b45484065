"""What sass.py reads in a short listing whose numbers can be counted by hand."""
import unittest

import sass

LISTING = """
	.section	.text.tessera_kernel,"ax",@progbits
tessera_kernel:
.text.tessera_kernel:
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/               @P0 EXIT ;
.L_x_0:
        /*0020*/                   LDG.E.128 R4, desc[UR6][R2.64] ;
        /*0030*/                   LDG.E.128.CONSTANT R8, desc[UR6][R2.64+0x10] ;
        /*0040*/              @!P1 LDG.E R12, desc[UR6][R2.64+0x20] ;
        /*0050*/                   FADD R7, R7, R8 ;
        /*0060*/                   LDG.E.64 R14, desc[UR6][R2.64+0x30] ;
        /*0070*/                   STG.E.128 desc[UR6][R16.64], R4 ;
        /*0080*/               @P2 BRA `(.L_x_1) ;
.L_x_1:
        /*0090*/               @P0 BRA `(.L_x_0) ;
.L_x_2:
        /*00a0*/                   LDG.E.U8 R4, desc[UR6][R2.64] ;
        /*00b0*/                   STG.E.U8 desc[UR6][R16.64], R4 ;
        /*00c0*/              @!P0 BRA `(.L_x_2) ;
        /*00d0*/                   EXIT ;
.L_x_3:
        /*00e0*/                   BRA `(.L_x_3);
        /*00f0*/                   NOP;
.L_x_4:
//--------------------- .nv.global                --------------------------
        /*0100*/                   NOP;
"""


class Reading(unittest.TestCase):
    def test_the_section_ends_before_what_fills_it(self):
        instructions, labels = sass.code_of(LISTING)
        self.assertEqual(len(instructions), 14)
        self.assertEqual(instructions[-1].opcode, "EXIT")
        self.assertEqual(labels[".L_x_0"], 2)
        self.assertEqual(instructions[4].predicate, "@!P1")

    def test_widths(self):
        seen = sass.measure(LISTING, 4, 4)
        self.assertEqual((seen["load"], seen["store"], seen["loads"], seen["stores"]), (128, 128, 5, 2))

    def test_the_main_loop_is_that_which_moves_most(self):
        seen = sass.measure(LISTING, 4, 4)
        self.assertEqual((seen["main"], seen["branches"]), (8, 2))
        self.assertEqual(seen["elements"], 16 / 4)
        self.assertEqual(seen["each"], 2.0)
        self.assertEqual(sass.measure(LISTING, 4, 0)["elements"], (16 + 16 + 4 + 8) / 4)

    def test_a_loop_is_taken_without_those_within(self):
        outer = LISTING.replace("/*00d0*/                   EXIT ;", "/*00d0*/              @!P3 BRA `(.L_x_0) ;\n        /*00d8*/                   EXIT ;")
        self.assertEqual(sass.measure(outer, 4, 4)["main"], 8)
        many = outer.replace("LDG.E.128.CONSTANT R8", "LDG.E.U8 R8").replace("STG.E.128 desc", "STG.E.U8 desc").replace("LDG.E.128 R4", "LDG.E.U8 R4")
        many = many.replace("/*00d0*/", "/*00cc*/                   STG.E.128 desc[UR6][R16.64], R4 ;\n        /*00d0*/")
        self.assertEqual(sass.measure(many, 4, 4)["main"], 2)  # the store and the branch of the outer loop

    def test_loads_count_until_one_of_them_is_read(self):
        self.assertEqual(sass.measure(LISTING, 4, 4)["together"], 3)

    def test_a_store_reads_all_registers_of_its_value(self):
        store = sass.Instruction(None, "STG.E.128", "desc[UR6][R16.64], R4")
        self.assertEqual(store.read(), {4, 5, 6, 7, 16, 17})

    def test_a_kernel_without_loops_is_taken_as_a_whole(self):
        straight = LISTING.replace("`(.L_x_0)", "`(.L_x_3)").replace("`(.L_x_2)", "`(.L_x_3)")
        self.assertEqual(sass.measure(straight, 4, 4)["main"], 14)


if __name__ == "__main__":
    unittest.main()
